import { expect, test } from 'vitest';
import { program } from '../../../src/cli/main.js';
import { lineForAgent } from '../../../src/commands/mcp/agent-words.js';
import { chooseTools } from '../../../src/commands/mcp/tools.js';
import { startMcp } from '../../helpers/mcp-client.js';

const tools = chooseTools(program, {});
const usual = 'send arguments that fit the inputSchema of the tool';

/** What a call of `name` answers for an error with this message and hint. */
function said(name: string, message: string, hint: string, more = {}): unknown {
  const [tool] = tools.filter((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const line = JSON.stringify({ error: { exit: 3, message, hint, ...more } });
  return JSON.parse(lineForAgent(line, tool, tools));
}

test.each([
  [
    'chat',
    'limit the answer with --max-tokens N, or raise --max-cost',
    'limit the answer with maxTokens N, or raise maxCost',
  ],
  ['chat', 'list them: `svc --profile work models list --all`', 'list them: models_list'],
  [
    'chat',
    'svc --local chat "your question", or pipe text into it; svc chat -i opens a session',
    undefined,
  ],
  [
    'generate',
    'see its options: svc --local generate local/canvas --help',
    'see its options: models_capabilities',
  ],
  [
    'generate',
    '`svc jobs wait --all` waits; nothing is paid twice unless --new is given',
    'jobs_wait waits; nothing is paid twice unless new is given',
  ],
  [
    'jobs_wait',
    'it continues without svc; wait for it: `svc jobs wait job_1`',
    'it continues without svc; wait for it: jobs_wait',
  ],
  ['speak', 'nothing is paid twice; use --new to start another', 'nothing is paid twice'],
  ['image_create', 'run `svc login`, or send it with --inline', undefined],
])('%s: a hint %j has only the steps that an agent can take', (name, hint, expected) => {
  const error = { exit: 3, message: 'no', ...(expected !== undefined && { hint: expected }) };
  expect(said(name, 'no', hint)).toEqual({ error });
});

test('an error of the key or of the ceiling of a tool that reads says what to do instead', () => {
  expect(said('chat', 'no key', 'run `svc login` or set SVC_API_KEY', { exit: 4 })).toMatchObject({
    error: { exit: 4, hint: 'ask the user to log in to svc, or to correct its settings' },
  });
  const refused = said(
    'jobs_wait',
    'up to 2.40 RUB, more than --max-cost 0.00 RUB',
    'raise --max-cost',
    {
      code: 'max_cost',
    },
  );
  expect(refused).toMatchObject({
    error: {
      message: 'up to 2.40 RUB, more than maxCost 0.00 RUB',
      hint: 'this tool pays for nothing: call generate again with the same arguments',
    },
  });
});

test('a refusal names the arguments of the call, and nothing of a command line', async () => {
  const { call } = await startMcp();
  for (const [name, given, message, hint = usual] of [
    ['chat', {}, 'the prompt is empty'],
    ['chat', { prompt: 'x', attach: ['/no/file.png'] }, 'attach: there is no file /no/file.png'],
    ['chat', { prompt: 'x', attach: ['-'] }, 'attach cannot be "-"'],
    ['chat', { prompt: 'x', maxTokens: 0 }, 'maxTokens: "0" is not a whole number of at least 1'],
    [
      'generate',
      { model: 'image', prompt: 'x', quote: true, wait: false },
      'quote and wait: false cannot be used together',
    ],
    ['generate', { model: 'image', prompt: 'x', input: ['image=-'] }, 'input cannot be "image=-"'],
    ['embed', { text: ['a'], limit: 3 }, 'limit needs similar'],
    ['search', { query: 'x', limit: 99 }, 'limit: "99" is not a whole number from 1 to 20'],
    [
      'decide',
      { state: 'x', choice: ['a=Who?'] },
      'the choice "a" has no options; give option a:OPTION=MEANING',
    ],
    [
      'speak',
      { text: 'x', format: 'ogg' },
      'format: "ogg" is not one of mp3, opus, aac, flac, wav, pcm',
    ],
    ['jobs_wait', {}, 'no job is given', 'jobs_list lists the ids'],
    ['tickets_create', { subject: 'abc' }, 'the message is missing'],
  ] as const) {
    expect((await call(name, given)).json).toMatchObject({ error: { exit: 2, message, hint } });
  }
});
