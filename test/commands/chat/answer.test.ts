import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { homeWith } from '../../helpers/config-home.js';
import { chunks, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { readable } from '../../terminal/styled.js';
import { formats, requestOf } from './scene.js';

const echo = '--local chat -m local/echo';
const script = '--local chat -m local/script ok';
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;
const screen = { tty: { stdout: true }, colour: true };

/** What both streams show, in the order in which it was written. */
async function shownOf(line: string, options: RunOptions) {
  const texts: string[] = [];
  const onText = (text: string) => texts.push(text);
  await run(line, { ...options, onStdout: onText, onStderr: onText });
  return texts.join('');
}

describe.each(formats)('an answer in the format %s', (format) => {
  it('gives a pipe the text alone, ended by a line feed; -o - its bytes alone', async () => {
    const texts = ['héllo 🌍\n', 'no line end', ' \t\u001b[1m\r\n\n\u0000', '\ufeffmark', '```\n'];
    for (const stdin of texts) {
      const stdout = stdin.endsWith('\n') ? stdin : `${stdin}\n`;
      const piped = await run(`${echo} --format ${format}`, { stdin });
      expect(piped).toMatchObject({ code: 0, stdout, stderr: '' });
      const exact = await run(`${echo} --format ${format} -o -`, { stdin });
      expect(exact).toMatchObject({ code: 0, stdoutBytes: Buffer.from(stdin), stderr: '' });
    }
  });

  it('prints a tool call as a line of JSON', async () => {
    const toolCall = { name: 'now', arguments: { tz: 'UTC' } };
    const env = localScript({ reply: 'Wait.', toolCall });
    const { stdout } = await run(`${script} --format ${format}`, { env, tty: { stdout: true } });
    const [text, call = '', rest] = stdout.split('\n');
    expect([text, rest]).toEqual(['Wait.', '']);
    expect(JSON.parse(call)).toEqual({ id: expect.stringMatching(/^\w{10,}$/), ...toolCall });
  });

  it('that reached its limit says so, and how to raise it', async () => {
    const result = await run(`${echo} --format ${format} --max-tokens 2 abcdefghijkl`);
    expect(result).toMatchObject({ code: 0, stdout: 'abcdefgh\n' });
    expect(result.stderr).toBe('the answer reached its token limit; --max-tokens raises it\n');
  });
});

test('a terminal gets the text, and a dim last line with tokens, price and balance', async () => {
  // On a clock that stands still, a slow machine shows no spinner.
  const clock = new ManualClock();
  const figures = ['1 in, 1 out tokens · 0.00004 RUB', 'balance 1,000.00 RUB'];
  const wide = await run(`${echo} hi`, { tty: true, colour: true, clock });
  expect(wide).toMatchObject({ stdout: 'hi\n', stderr: `${dim(figures.join(' · '))}\n` });
  const narrow = await run(`${echo} hi`, { tty: true, columns: 40, clock });
  expect(narrow.stderr).toBe(`${figures.join('\n')}\n`);
});

test('a terminal is shown no active control sequence of the answer', async () => {
  const { stdout } = await run(echo, { stdin: 'a\u001b]0;x\u0007\r\u009b2Jb', ...screen });
  expect(stdout).toBe('a␛]0;x␇\ufffd2Jb\n');
});

const rule = { reasoning: 'First this,\nthen that.', reply: 'Yes.' };

it.each([
  ['chat', '--reasoning-effort high'],
  ['messages', '--thinking-budget 1000'],
  ['responses', '--reasoning-effort high --reasoning-summary auto'],
])(
  'the reasoning of an answer is on stderr, dim on a terminal, unless it is left out: %s %s',
  async (format, options) => {
    const line = `${script} --format ${format} ${options}`;
    const env = localScript(rule);
    const shown = await run(line, { env, tty: { stderr: true }, colour: true });
    expect(shown.stdout).toBe('Yes.\n');
    const plain = shown.stderr.replaceAll(/\u001b\[2?2m/g, '');
    expect(plain).toMatch(/^First this,\nthen that\.\n\d+ in, \d+ out tokens · [^\n]+\n$/);
    // Nothing but line ends stands outside of dim.
    expect(shown.stderr.replaceAll(/\u001b\[2m[^\u001b]*\u001b\[22m/g, '')).toMatch(/^\n+$/);
    const piped = await run(line, { env });
    expect(piped).toMatchObject({ stdout: 'Yes.\n', stderr: `${rule.reasoning}\n` });
    const without = await run(`${line} --no-reasoning`, { env });
    expect(without).toMatchObject({ stdout: 'Yes.\n', stderr: '' });
  },
);

it('the reasoning of an answer ends its line before a tool call', async () => {
  const env = localScript({ reasoning: 'Hm', reply: '', toolCall: { name: 'f', arguments: {} } });
  const shown = await shownOf(`${script} --reasoning-effort low`, { env });
  expect(shown).toMatch(/^Hm\n\{"id":"\w+","name":"f","arguments":\{\}\}\n$/);
});

it('the reasoning of an answer keeps its style beside the Markdown of the text', async () => {
  const env = localScript({ reasoning: '*Hm*', reply: '**Yes**' });
  const options = { env, tty: true, colour: true };
  const shown = await shownOf(`${script} --reasoning-effort low`, options);
  expect(readable(shown)).toMatch(/^⟨d:\*Hm\*⟩\n⟨b:Yes⟩\n⟨d:\d+ in, [^⟩]+⟩\n$/);
});

test.each([
  [['what', 'is  this?'], undefined, 'what is  this?'],
  [['why?'], 'the log\n', 'the log\n\nwhy?'],
  [['why?'], 'the log', 'the log\n\nwhy?'],
  [[], 'the log', 'the log'],
  [['why?'], ' \n', 'why?'],
  [['--', '-x', '--json'], undefined, '-x --json'],
])('the words %j and the piped text %j make the prompt %j', async (words, stdin, prompt) => {
  const result = await run(['--local', 'chat', '-m', 'local/echo', ...words], { stdin });
  expect(result).toMatchObject({ code: 0, stdout: `${prompt}\n` });
});

it('the model is local/guide offline, and the one of the settings otherwise', async () => {
  const guide = await run('--local chat --json "How do I see my balance?"');
  expect(JSON.parse(guide.stdout)).toMatchObject({ model: 'local/guide' });
  expect(guide.stdout).toContain('svc balance');
  const profile = { model: 'vendor/one', base_url: 'http://localhost:1' };
  const home = homeWith({ profile: 'p', profiles: { p: profile } });
  const env = { SVC_API_KEY: 'sk-svc-0123456789' };
  const { stdout } = await run('chat --dry-run hi', { home, env });
  expect(JSON.parse(stdout)).toMatchObject({ body: { model: 'vendor/one' } });
  expect((await requestOf(['hi'], { home })).body).toMatchObject({ model: 'local/guide' });
});

it.each([
  ['nope', ''],
  ['local/gide', 'did you mean local/guide\\? '],
  ['ecko', 'did you mean echo\\? '],
])('the model that does not exist is refused with the likely one: %s', async (name, guess) => {
  const result = await run(`--local chat -m ${name} hi`);
  expect(result).toMatchObject({ code: 3, stdout: '' });
  const error = `error: the model "${name}" does not exist; .+`;
  const hint = `hint: ${guess}list .*\`svc --local models list\``;
  expect(result.stderr).toMatch(new RegExp(`^${error}\n${hint}\nrequest id: \\S+\n$`));
});

it('the model that a service does not have is looked up for people; a script sends one request', async () => {
  const models = { object: 'list', data: [{ id: 'vendor/model-one' }] };
  const { env, requests } = await fakeService((request, response) => {
    const refusal = json({ error: { message: 'no such model' } }, 404);
    (request.method === 'GET' ? json(models) : refusal)(request, response);
  });
  const piped = await run('chat -m vendor/modle-one hi', { env });
  expect(piped.stderr).toBe('error: no such model\nhint: list the models: `svc models list`\n');
  expect(requests).toHaveLength(1);
  const shown = await run('chat -m vendor/modle-one hi', { env, tty: true });
  expect(shown.stderr).toContain('\nhint: did you mean vendor/model-one? list the models: ');
});

const reply = '# A **b**\n\n- `c`\n\n```sh\necho *d*\n```\n';

it('the Markdown of an answer is rendered on a terminal', async () => {
  const { stdout } = await run(script, { ...screen, env: localScript({ reply, chunkSize: 3 }) });
  expect(readable(stdout)).toBe('⟨b:A b⟩\n\n⟨d:•⟩ ⟨c:c⟩\n\n⟨c:echo⟩ *d*\n');
});

it.each<[string, string, RunOptions]>([
  ['to a pipe', '', {}],
  ['to a pipe beside a terminal', '', { tty: { stdin: false, stderr: true }, colour: true }],
  ['under NO_COLOR', '', { ...screen, env: { NO_COLOR: '1' } }],
  ['on a dumb terminal', '', { ...screen, env: { TERM: 'dumb' } }],
  ['under --plain', '--plain', screen],
])('the Markdown of an answer is passed on unchanged %s', async (_, option, options) => {
  const result = await run(`${echo} ${option}`, { ...options, stdin: reply });
  expect(result).toMatchObject({ code: 0, stdout: reply });
});

it('the Markdown of an answer is passed on unchanged to a file, and into -x, --json, --events and --json-object', async () => {
  const file = join(testFolder(), 'a.md');
  const options = { ...screen, env: localScript({ reply }) };
  expect(await run(`${script} -o ${file}`, options)).toMatchObject({ stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe(reply);
  expect(await run(`${script} -x`, options)).toMatchObject({ stdout: 'echo *d*\n', stderr: '' });
  const asJson = await run(`${script} --json`, { ...options, colour: false });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ text: reply });
  expect((await run(`${script} --events`, options)).stdout).not.toContain('\u001b');
  expect((await run(`${script} --json-object`, options)).stdout).toContain(reply);
});

it('the Markdown of an answer leaves no style open where the user interrupts, and loses no mark', async () => {
  const interrupt = new AbortController();
  const { env } = await fakeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunks('Hm **a *'));
  });
  const onStdout = () => interrupt.abort(new Error('interrupted'));
  const options = { ...screen, env, signal: interrupt.signal, onStdout };
  expect(readable((await run('chat -m m hi', options)).stdout)).toBe('Hm **a *\n');
});
