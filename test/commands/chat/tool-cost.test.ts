/** What a loop of tools has spent, and what the command that goes on with it may spend. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usageSum } from '../../../src/chat/answer-json.js';
import { jsonOf, run } from '../../helpers/run.js';
import { twoTools, weather } from './two-tools.js';

interface Whole {
  readonly cost: Record<string, number>;
  readonly usage: Record<string, number>;
}

const limit = '--max-cost 0.3 --max-tokens 20 --approve always';
const long = () => twoTools(undefined, { weather: 'head -c 60000 /dev/zero | tr "\\0" x' });
const endless = [{ reply: 'I look.', toolCalls: [weather] }];

function wholeOf(stdout: string, how: string): Whole {
  const whole: Whole = JSON.parse(
    how === '--json' ? stdout : (stdout.trim().split('\n').at(-1) ?? ''),
  );
  return whole;
}

async function logged(home: string) {
  const turns: Whole[] = JSON.parse((await run('logs --json', { home })).stdout);
  const sum = (name: string) =>
    turns.reduce((all, { cost, usage }) => all + Number({ ...cost, ...usage }[name]), 0);
  return { priceRub: sum('priceRub'), input: sum('inputTokens'), output: sum('outputTokens') };
}

it.each(['--json', '--events'])(
  '%s of a loop that --max-cost ends says what it cost',
  async (how) => {
    const { ask, home } = long();
    const { code, stdout, stderr } = await ask(`${limit} ${how}`);
    expect(code).toBe(5);
    expect(stderr).toContain('max-cost');
    const { priceRub, input, output } = await logged(home);
    expect(priceRub).toBeGreaterThan(0);
    expect(wholeOf(stdout, how)).toMatchObject({
      complete: false,
      turns: 1,
      cost: { priceRub },
      usage: { inputTokens: input, outputTokens: output },
      calls: [{ name: 'weather' }, { name: 'time' }],
      conversation: 'c1',
      error: { code: 'max_cost' },
    });
  },
);

it('a terminal shows what a loop that --max-cost ends has cost', async () => {
  const { ask, home } = long();
  const { stderr } = await ask(limit, { tty: true });
  const { priceRub, input, output } = await logged(home);
  const tokens = `${input} in, ${output} out tokens`;
  expect(stderr).toContain(`${tokens} · ${priceRub.toFixed(4)} RUB`);
});

it.each(['--json', '--events'])(
  '%s adds up the cost and the usage of all requests',
  async (how) => {
    const { ask, home } = twoTools(endless);
    const { code, stdout } = await ask(`--approve always --max-turns 20 ${how}`);
    expect(code).toBe(8);
    const { cost, usage } = wholeOf(stdout, how);
    const { priceRub, input, output } = await logged(home);
    // Adding floating-point numbers leaves noise.
    expect(cost['priceRub']).toBe(Number(priceRub.toFixed(6)));
    expect(usage).toMatchObject({ inputTokens: input, outputTokens: output });
    expect(usage['totalTokens']).toBe(input + output);
  },
);

it('the counts of two answers are added', () => {
  const one = { inputTokens: 1, cachedTokens: 2 };
  const other = { inputTokens: 3, reasoningTokens: 5 };
  const both = { inputTokens: 4, cachedTokens: 2, reasoningTokens: 5 };
  expect(usageSum(one, other)).toEqual(both);
  expect(usageSum(one, undefined)).toBe(one);
});

it('the command that continues keeps to the ceiling', async () => {
  const { ask } = twoTools(endless);
  const { code, stderr } = await ask('--max-cost 9 --max-tokens 40 --shorten --max-turns 1');
  expect(code).toBe(8);
  expect(stderr).toContain('1 tool call is waiting after 1 request (--max-turns)');
  const limits = '--max-cost 9 --max-tokens 40 --shorten';
  const again = `svc --local chat --conversation c1 ${limits} --approve always`;
  expect(stderr).toContain(`to run them: ${again}\n`);
});

it('a conversation goes on without a tool whose file is gone, unless its call is to run', async () => {
  const { ask, home, ran, svc } = twoTools([
    { match: 'never mind', reply: 'Well.' },
    { toolCalls: [weather] },
  ]);
  await ask('');
  rmSync(join(home, 'tools/weather.json'));
  const waiting = await svc('-c --approve always');
  expect(waiting).toMatchObject({ code: 2, stdout: '' });
  expect(waiting.stderr).toContain(
    'the file of the tool weather is gone, and a call of it is waiting',
  );
  expect(waiting.stderr).toContain('continue without it: svc --local chat -c "your question"');
  expect(await jsonOf(svc('-c --dry-run "never mind"'))).toMatchObject({
    body: { tools: [{ function: { name: 'time' } }] },
  });
  const { code, stdout, stderr } = await svc('-c "never mind"');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Well.\n' });
  expect(stderr).toContain('tools whose file is gone are left out: weather');
  rmSync(join(home, 'tools/time.json'));
  expect((await svc('-c --dry-run "never mind"')).stdout).not.toContain('tools');
  expect(ran()).toEqual([]);
});

it('--approve with no calls waiting says so', async () => {
  const { ask, svc } = twoTools([{ reply: 'Well.' }]);
  await ask('');
  const { code, stderr } = await svc('-c --approve always');
  expect(code).toBe(2);
  expect(stderr).toContain('error: no tool calls are waiting, and the prompt is empty');
});
