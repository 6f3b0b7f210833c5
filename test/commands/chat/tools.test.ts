/** Tools that svc runs: whole runs in all formats, approval, limits, and hostile tools. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { fails, run } from '../../helpers/run.js';
import { formats } from './scene.js';
import { answers, calls, time, twoTools, weather } from './two-tools.js';

type Counts = Readonly<Record<'priceRub' | 'inputTokens' | 'outputTokens', number>>;
type Logged = Readonly<Record<'cost' | 'usage', Counts>>;
type Event = Readonly<Record<string, unknown>>;

const resultOf = (id: unknown, text: string) => ({
  chat: { role: 'tool', content: text, tool_call_id: id },
  messages: { type: 'tool_result', tool_use_id: id, content: text },
  responses: { type: 'function_call_output', call_id: id, output: text },
});

describe('a chat with two tools', () => {
  it.each(formats)('runs them and answers from their results, in the format %s', async (format) => {
    for (const stream of ['', '--no-stream']) {
      const { ask, ran, svc } = twoTools();
      const line = `--format ${format} ${stream} --approve always --events`;
      const { stdout, stderr } = await ask(line);
      expect(stderr).toBe('weather {"city":"Oslo"}\ntime {"city":"Rome"}\n');
      expect(ran()).toEqual(['time Rome', 'weather Oslo']);
      const events: Event[] = JSON.parse(`[${stdout.trim().replaceAll('\n', ',')}]`);
      const [first, second] = events.filter(({ type }) => type === 'tool_result');
      expect(first).toMatchObject({ name: 'weather', text: 'rain', isError: false });
      expect(second).toMatchObject({ name: 'time', text: 'noon', isError: false });
      const [one, two] = [String(first?.['id']), String(second?.['id'])];
      expect(events.at(-1)).toMatchObject({
        ...{ type: 'done', text: 'Rain at noon.', toolCalls: [], complete: true, turns: 2 },
        calls: [
          { id: one, ...weather, isError: false },
          { id: two, ...time, isError: false },
        ],
      });
      // What the second request sent, and any later one sends.
      const next = await svc('-c --dry-run --no-stream next?');
      const { body }: { body: { tools: object[] } } = JSON.parse(next.stdout);
      const both = [resultOf(one, 'rain')[format], resultOf(two, 'noon')[format]];
      expect(JSON.stringify(body)).toContain(JSON.stringify(both).slice(1, -1));
      expect(body.tools).toHaveLength(2);
    }
  });

  it('shows both texts, and the price and the tokens of all requests', async () => {
    const { ask, home } = twoTools();
    const shown = await ask('--approve always', { tty: true });
    expect(shown.stdout).toBe('I look.\nRain at noon.\n');
    const [turns, tokens, price] = shown.stderr.trim().split('\n').at(-1)?.split(' · ') ?? [];
    const { stdout } = await run('logs --json', { home });
    const logged: Logged[] = JSON.parse(stdout);
    expect(logged).toMatchObject([{ question: '(results of tools: 2)' }, { question: 'what?' }]);
    const sum = (name: keyof Counts) =>
      logged.reduce((all, { cost, usage }) => all + { ...cost, ...usage }[name], 0);
    expect(turns).toBe('2 turns');
    expect(tokens).toBe(`${sum('inputTokens')} in, ${sum('outputTokens')} out tokens`);
    expect(price).toBe(`${sum('priceRub').toFixed(4)} RUB`);
    const { cost }: { cost: unknown } = JSON.parse((await ask('--approve always --json')).stdout);
    expect(cost).toMatchObject({ priceRub: sum('priceRub') });
  });

  it('writes -o and checks --schema once, at the end', async () => {
    const { ask, home } = twoTools([calls, { reply: { n: 1 } }]);
    const file = join(home, 'out.txt');
    const done = await ask(`--approve always --schema "n int" -o ${file}`);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe('I look.\n{"n":1}');
  });

  it('runs the calls of one answer side by side', async () => {
    // One after the other, the first would wait forever.
    const { ask, ran } = twoTools(undefined, { weather: 'until grep -q time RAN; do :; done' });
    expect(await ask('--approve always')).toMatchObject({ code: 0 });
    expect(ran()).toHaveLength(2);
  });

  it('answers a call that nothing can run, and one that fails', async () => {
    const wrong = [
      { name: 'weather', arguments: {} },
      { name: '../time', arguments: { city: 'x' } },
      { name: 'time', arguments: { city: 'y' } },
      ...Array.from({ length: 29 }, () => ({ name: 'none', arguments: {} })),
      weather,
    ];
    const { ask, ran } = twoTools([{ ...calls, toolCalls: wrong }, answers], { time: 'exit 3' });
    const { stdout, stderr } = await ask('--approve always --events');
    expect(ran()).toEqual(['time y']);
    const texts = Array.from(stdout.matchAll(/"tool_result".*?"text":"(.*?)","isError":true/g));
    expect(texts.map(([, text]) => text)).toEqual([
      "The arguments do not fit: the object of arguments must have required property 'city'.",
      'There is no tool ../time.',
      '[no output]\\n[exit code 3]',
      ...Array(29).fill('There is no tool none.'),
      'More than 32 calls at once.',
    ]);
    expect(stderr).not.toContain('\u001b');
  });

  it('runs no call whose arguments take too long to check', async () => {
    const slow = { name: 'time', arguments: { city: 'x', word: `${'a'.repeat(50)}!` } };
    const { ask, ran } = twoTools([{ ...calls, toolCalls: [slow] }, answers]);
    const { stdout } = await ask('--approve always --events');
    expect(stdout).toContain('"text":"The check of the arguments timed out.","isError":true');
    expect(ran()).toEqual([]);
  });

  it('shows no live control character of a tool to an agent that has a terminal', async () => {
    const { ask, env } = twoTools(undefined, { weather: "printf '\\302\\23331mred'" });
    const agent = { tty: true, env: { ...env, CLAUDECODE: '1' } };
    const shown = await ask('--approve always --events', agent);
    expect(shown.stdout).toContain(String.raw`"text":"\u009b31mred"`);
  });
});

it('a call is approved by a person who sees it whole, once or for the rest of the run', async () => {
  const city = 'Oslo\u001b[2J\u202e\u200b\u{e0101}\uffa0\u00a0';
  const toolCalls = [{ name: 'weather', arguments: { city } }, weather, time];
  const { ask, ran } = twoTools([{ ...calls, toolCalls }, answers]);
  const typed = [
    ['Run weather?', '\u001b[B\u001b[B\r'],
    ['Run time?', '\r'],
  ] as const;
  const { stdout, stderr } = await ask('', { tty: true, typed });
  expect(stdout).toBe('I look.\nRain at noon.\n');
  const shown = String.raw`{"city":"Oslo\u001b[2J\u202e\u200b\udb40\udd01\uffa0\u00a0"}`;
  expect(stderr).toContain(`weather ${shown}`);
  expect(ran()).toHaveLength(2);
  expect(ran().join()).not.toContain('time');
});

it('a call is approved never: the model is told so', async () => {
  const { ask, ran } = twoTools();
  const { stdout } = await ask('--approve never --json');
  expect(JSON.parse(stdout)).toMatchObject({ text: 'Rain at noon.', turns: 2 });
  expect(ran()).toEqual([]);
});

it('a call is approved later, where there is no terminal: nothing runs until then', async () => {
  const { ask, ran, svc } = twoTools();
  const { code, stdout, stderr } = await ask('--json');
  expect(code).toBe(8);
  expect(JSON.parse(stdout)).toMatchObject({ toolCalls: [weather, time], turns: 1 });
  const hint = 'to run them: svc --local chat --conversation c1 --approve always';
  const waiting = '2 tool calls are waiting for approval';
  expect(JSON.parse(stderr)).toMatchObject({
    error: { exit: 8, code: 'tool_calls_pending', message: waiting, hint },
  });
  expect(await svc('-c')).toMatchObject({ code: 8, stdout: '' });
  expect(ran()).toEqual([]);
  const done = await svc('--conversation c1 --approve always');
  expect(done).toMatchObject({ code: 0, stdout: 'Rain at noon.\n' });
  expect(ran()).toEqual(['time Rome', 'weather Oslo']);
  expect(await svc('-c')).toMatchObject({ code: 2, stdout: '' });
});

it('a call is approved or not, when the question is closed with Ctrl-C: the calls are kept', async () => {
  const { ask, ran, svc } = twoTools();
  const { code, stderr } = await ask('', { tty: true, typed: [['Run weather?', '\u0003']] });
  expect(code).toBe(130);
  expect(stderr).toContain('to continue: svc --local chat --conversation c1');
  expect(await svc('-c')).toMatchObject({ code: 8 });
  expect(ran()).toEqual([]);
});

it('a call is approved not when another question follows', async () => {
  const { ask, ran, svc } = twoTools([{ match: 'never mind', reply: 'Well.' }, calls]);
  await ask('');
  const { code, stdout } = await svc('-c --approve always "never mind"');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Well.\n' });
  expect(ran()).toEqual([]);
});

it('a call is approved in a session, whose next question is not what was typed to approve it', async () => {
  const { ask, ran } = twoTools();
  const { stdout, stderr } = await ask('-i', {
    tty: true,
    columns: 90,
    typed: [
      ['Run weather?', '\u001b[B\r'],
      ['Run time?', '\u001b[B\r'],
      ['balance', '/exit\r'],
    ],
  });
  expect(stdout).toBe('I look.\nRain at noon.\n');
  expect(ran()).toEqual(['time Rome', 'weather Oslo']);
  expect(stderr).toContain('2 turns · local/script');
});

it('a loop ends after --max-turns requests, and continues with -c', async () => {
  const { ask, ran, svc } = twoTools([{ toolCalls: [weather] }]);
  const { code, stderr } = await ask('--approve always --max-turns 3 --no-stream');
  expect(code).toBe(8);
  expect(stderr).toContain('1 tool call is waiting after 3 requests (--max-turns)\nhint: to run');
  expect(ran()).toHaveLength(2);
  expect(await svc('-c --approve always --max-turns 1')).toMatchObject({ code: 8 });
  expect(ran()).toHaveLength(3);
});

it('a loop ends at --max-cost, and keeps the results: no tool runs twice', async () => {
  const { ask, ran, svc } = twoTools();
  const limit = '--max-cost 0.3 --max-tokens 20 --approve always';
  const long = twoTools(undefined, { weather: 'head -c 60000 /dev/zero | tr "\\0" x' });
  expect(await ask(limit)).toMatchObject({ code: 0 });
  const { code, stderr } = await long.ask(limit);
  expect(code).toBe(5);
  const again = '--conversation c1 --max-cost 0.3 --max-tokens 20';
  expect(stderr).toContain(`to continue: svc --local chat ${again}\n`);
  expect(await long.svc('-c')).toMatchObject({ code: 0, stdout: 'Rain at noon.\n' });
  expect(long.ran()).toEqual(['time Rome', 'weather Oslo']);
  expect(ran()).toHaveLength(2);
  expect((await svc('-c')).code).toBe(2);
});

it('a loop ends at Ctrl-C while a tool hangs; nothing is sent, and no tool runs twice', async () => {
  const stop = new AbortController();
  const { ask, home, ran, svc } = twoTools(undefined, { weather: 'sleep 600' });
  const stopping = ask('--approve always', { signal: stop.signal });
  await expect.poll(() => ran().length, { timeout: 10_000, interval: 5 }).toBe(2);
  stop.abort(new Interrupted('SIGINT'));
  const { code, stderr } = await stopping;
  expect(code).toBe(130);
  expect(stderr).toContain('to continue: svc --local chat --conversation c1\n');
  const [last]: object[] = JSON.parse((await run('logs --json', { home })).stdout);
  expect(last).toMatchObject({ question: '(results of tools: 2)', cost: { priceRub: null } });
  expect(await svc('-c')).toMatchObject({ code: 0, stdout: 'Rain at noon.\n' });
  expect(ran()).toHaveLength(2);
});

it.each([
  ['--tool none', 'no tool is called none'],
  ['--tool weather -m local/echo', '--tool works with one --model only'],
  ['--tool weather --tool-choice rain', '--tool-choice: there is no tool rain'],
  ['--tool weather --approve maybe', '--approve: "maybe" is not one of ask, always, never'],
  ['--tool weather --max-turns 0', '--max-turns: "0" is not a whole number of at least 1'],
])('svc chat %s cannot be right, and is refused before anything is sent', async (line, message) => {
  const { svc } = twoTools();
  expect(await svc(`-m local/script ${line} hi`)).toMatchObject(fails(2, `error: ${message}`));
});
