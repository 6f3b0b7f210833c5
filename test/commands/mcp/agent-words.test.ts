import { expect, test } from 'vitest';
import { program } from '../../../src/cli/main.js';
import { lineForAgent } from '../../../src/commands/mcp/agent-words.js';
import { chooseTools } from '../../../src/commands/mcp/tools.js';
import { recordOf } from '../../../src/lib/json.js';
import { startMcp } from '../../helpers/mcp-client.js';

const tools = chooseTools(program, {});

/** What an agent reads of an error of the tool. */
function said(
  name: string,
  error: { message?: string; hint?: string; exit?: number; code?: string },
) {
  const [tool] = tools.filter((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const line = lineForAgent(JSON.stringify({ error }), tool, tools);
  return recordOf(recordOf(JSON.parse(line))['error']);
}

test.each(
  `chat: limit it with --max-tokens N, or raise --max-cost > limit it with maxTokens N, or raise maxCost
chat: list them: \`svc --profile work models list --all\` > list them: models_list
chat: svc --local chat "your question", or pipe text into it; svc chat -i opens a session > undefined
generate: see its options: svc --local generate local/canvas --help > see its options: models_capabilities
generate: nothing is paid twice unless --new is given > nothing is paid twice unless new is given
jobs_wait: it continues; wait for it: \`svc jobs wait job_1\` > it continues; wait for it: jobs_wait
embed: nothing is paid twice; use --new to start another > nothing is paid twice
image_create: run \`svc login\`, or send it with --inline > undefined`
    .split('\n')
    .map((row) => /^(\w+): (.*) > (.*)$/.exec(row)?.slice(1) ?? []),
)('%s: a hint %j has only the steps that an agent can take', (name = '', hint = '', expected) => {
  expect(String(said(name, { hint })['hint'])).toBe(expected);
});

test('an error of the key, or of the ceiling of a tool that reads, says what to do instead', () => {
  const hint = 'ask the user to log in to svc, or to correct its settings';
  expect(said('chat', { exit: 4, hint: 'run `svc login` or set SVC_API_KEY' })).toMatchObject({
    hint,
  });
  const message = 'up to 2.40 RUB, more than --max-cost 0.00 RUB';
  expect(said('jobs_wait', { code: 'max_cost', message, hint: 'raise --max-cost' })).toMatchObject({
    message: 'up to 2.40 RUB, more than maxCost 0.00 RUB',
    hint: 'this tool pays for nothing: call generate again with the same arguments',
  });
});

test('a refusal names the arguments of the call, and nothing of a command line', async () => {
  const { call } = await startMcp();
  const job = { model: 'image', prompt: 'x' };
  const usual = 'send arguments that fit the inputSchema of the tool';
  for (const [name, given, message, hint = usual] of [
    ['chat', {}, 'the prompt is empty'],
    ['chat', { prompt: 'x', attach: ['/no/file'] }, 'attach: there is no file /no/file'],
    ['chat', { prompt: 'x', attach: ['-'] }, 'attach cannot be "-"'],
    ['chat', { prompt: 'x', maxTokens: 0 }, 'maxTokens: "0" is not a whole number of at least 1'],
    [
      'generate',
      { ...job, quote: true, wait: false },
      'quote and wait: false cannot be used together',
    ],
    ['generate', { ...job, input: ['image=-'] }, 'input cannot be "image=-"'],
    ['chat', { prompt: 'x', attach: ['/dev/stdin'] }, 'attach cannot be "/dev/stdin"'],
    ['chat', { prompt: 'x', schema: '/proc/self/fd/0' }, 'schema cannot be "/proc/self/fd/0"'],
    ['embed', { text: ['a'], limit: 3 }, 'limit needs similar'],
    ['search', { query: 'x', limit: 99 }, 'limit: "99" is not a whole number from 1 to 20'],
    ['jobs_wait', {}, 'no job is given', 'jobs_list lists the ids'],
    ['tickets_create', { subject: 'abc' }, 'the message is missing'],
  ] as const) {
    expect((await call(name, given)).json).toMatchObject({ error: { exit: 2, message, hint } });
  }
});
