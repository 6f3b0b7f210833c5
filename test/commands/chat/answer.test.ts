import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeWith } from '../../helpers/config-home.js';
import { chunks, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { run } from '../../helpers/run.js';
import { readable } from '../../terminal/styled.js';

const formats = ['chat', 'messages', 'responses'] as const;
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`;

describe.each(formats)('an answer in the format %s', (format) => {
  const echo = `--local chat -m local/echo --format ${format}`;
  const script = `--local chat -m local/script --format ${format}`;

  it('gives a pipe the text alone, ended by a line feed; -o - its bytes alone', async () => {
    for (const text of [
      'héllo 🌍\n',
      'no line end',
      ' \t\u001b[1m\r\n\n\u0000',
      '\ufeffmark',
      '```\n',
    ]) {
      const ended = text.endsWith('\n') ? text : `${text}\n`;
      expect(await run(echo, { stdin: text })).toMatchObject({
        code: 0,
        stdout: ended,
        stderr: '',
      });
      const exact = await run(`${echo} -o -`, { stdin: text });
      expect(exact).toMatchObject({ code: 0, stdoutBytes: Buffer.from(text), stderr: '' });
    }
  });

  it('gives a terminal the text, and a dim last line with tokens, price and balance', async () => {
    // On a clock that stands still, a slow machine shows no spinner.
    const clock = new ManualClock();
    const result = await run(`${echo} hi`, { tty: true, colour: true, clock });
    expect(result).toEqual({
      code: 0,
      stdout: 'hi\n',
      stdoutBytes: Buffer.from('hi\n'),
      stderr: `${dim('1 in, 1 out tokens · 0.00004 RUB · balance 1,000.00 RUB')}\n`,
    });
    const narrow = await run(`${echo} hi`, { tty: true, columns: 40, clock });
    const parts = ['1 in, 1 out tokens · 0.00004 RUB', 'balance 1,000.00 RUB', ''];
    expect(narrow.stderr).toBe(parts.join('\n'));
  });

  it('shows a terminal no active control sequence of the answer', async () => {
    const result = await run(echo, {
      stdin: 'a\u001b]0;x\u0007\r\u009b2Jb',
      tty: { stdout: true },
      colour: true,
    });
    expect(result.stdout).toBe('a␛]0;x␇\ufffd2Jb\n');
  });

  it('that reached its limit says so, and how to raise it', async () => {
    const result = await run(`${echo} --max-tokens 2 abcdefghijkl`);
    expect(result).toMatchObject({ code: 0, stdout: 'abcdefgh\n' });
    expect(result.stderr).toBe('the answer reached its token limit; --max-tokens raises it\n');
  });

  it('prints a tool call as a line of JSON', async () => {
    const env = localScript({
      reply: 'Wait.',
      toolCall: { name: 'now', arguments: { tz: 'UTC' } },
    });
    const { stdout, stderr, code } = await run(`${script} ok`, {
      env,
      tty: { stdout: true },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [text, call = '', rest] = stdout.split('\n');
    expect([text, rest]).toEqual(['Wait.', '']);
    expect(JSON.parse(call)).toEqual({
      id: expect.stringMatching(/^\w{10,}$/),
      name: 'now',
      arguments: { tz: 'UTC' },
    });
  });
});

describe('the reasoning of an answer', () => {
  const ways = [
    ['chat', '--reasoning-effort high'],
    ['messages', '--thinking-budget 1000'],
    ['responses', '--reasoning-effort high --reasoning-summary auto'],
  ] as const;
  const rule = { reasoning: 'First this,\nthen that.', reply: 'Yes.' };

  it.each(ways)('is dim on a terminal, apart from the text: %s', async (format, asked) => {
    const line = `--local chat -m local/script --format ${format} ${asked} ok`;
    const result = await run(line, { env: localScript(rule), tty: { stderr: true }, colour: true });
    expect(result).toMatchObject({ code: 0, stdout: 'Yes.\n' });
    const plain = result.stderr.replaceAll(/\u001b\[2?2m/g, '');
    expect(plain).toMatch(/^First this,\nthen that\.\n\d+ in, \d+ out tokens · [^\n]+\n$/);
    // Nothing but line ends stands outside of dim.
    expect(result.stderr.replaceAll(/\u001b\[2m[^\u001b]*\u001b\[22m/g, '')).toMatch(/^\n+$/);
  });

  it.each(ways)('is plain where stderr is no terminal, or left out: %s', async (format, asked) => {
    for (const [more, stderr] of [
      ['', 'First this,\nthen that.\n'],
      ['--no-reasoning', ''],
    ]) {
      const line = `--local chat -m local/script --format ${format} ${asked} ${more} ok`;
      const result = await run(line, { env: localScript(rule) });
      expect(result).toMatchObject({ code: 0, stdout: 'Yes.\n', stderr });
    }
  });
});

it('ends the line of reasoning before a tool call', async () => {
  const shown: string[] = [];
  const onText = (text: string) => shown.push(text);
  const env = localScript({ reasoning: 'Hm', reply: '', toolCall: { name: 'f', arguments: {} } });
  const line = '--local chat -m local/script --reasoning-effort low ok';
  await run(line, { env, onStdout: onText, onStderr: onText });
  expect(shown.join('')).toMatch(/^Hm\n\{"id":"\w+","name":"f","arguments":\{\}\}\n$/);
});

describe('the prompt', () => {
  it('is the words joined, the piped text alone, or the piped text and then the words', async () => {
    for (const [words, stdin, prompt] of [
      [['what', 'is  this?'], undefined, 'what is  this?'],
      [['why?'], 'the log\n', 'the log\n\nwhy?'],
      [['why?'], 'the log', 'the log\n\nwhy?'],
      [[], 'the log', 'the log'],
      [['why?'], ' \n', 'why?'],
      [['--', '-x', '--json'], undefined, '-x --json'],
    ] as const) {
      const result = await run(['--local', 'chat', '-m', 'local/echo', ...words], { stdin });
      expect(result).toMatchObject({ code: 0, stdout: `${prompt.trimEnd()}\n` });
    }
  });
});

describe('the model', () => {
  it('is local/guide offline, and the one of the settings otherwise', async () => {
    const guide = await run('--local chat --json "How do I see my balance?"');
    expect(JSON.parse(guide.stdout)).toMatchObject({ model: 'local/guide' });
    expect(guide.stdout).toContain('svc balance');
    const home = {
      profile: 'p',
      profiles: { p: { model: 'vendor/one', base_url: 'http://localhost:1' } },
    };
    const dry = await run('chat --dry-run hi', {
      home: homeWith(home),
      env: { SVC_API_KEY: 'sk-svc-0123456789' },
    });
    expect(JSON.parse(dry.stdout)).toMatchObject({ body: { model: 'vendor/one' } });
  });

  it.each([
    ['nope', ''],
    ['local/gide', 'did you mean local/guide\\? '],
    ['ecko', 'did you mean echo\\? '],
  ])('that does not exist is refused with the likely one: %s', async (name, guess) => {
    const result = await run(`--local chat -m ${name} hi`);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toMatch(
      new RegExp(
        `^error: the model "${name}" does not exist; [^\\n]+\\nhint: ${guess}list [^\\n]*\`svc --local models list\`\\nrequest id: \\S+\\n$`,
      ),
    );
  });

  it('that a service does not have is looked up for people; a script sends one request', async () => {
    const service = await fakeService((request, response) => {
      const models = { object: 'list', data: [{ id: 'vendor/model-one' }] };
      if (request.method === 'GET') json(models)(request, response);
      else json({ error: { message: 'no such model' } }, 404)(request, response);
    });
    const { env } = service;
    const piped = await run('chat -m vendor/modle-one hi', { env });
    expect(piped.stderr).toBe('error: no such model\nhint: list the models: `svc models list`\n');
    expect(service.requests).toHaveLength(1);
    const shown = await run('chat -m vendor/modle-one hi', { env, tty: true });
    expect(shown.stderr).toBe(
      'error: no such model\nhint: did you mean vendor/model-one? list the models: `svc models list`\n',
    );
  });
});

const echo = '--local chat -m local/echo';
const script = '--local chat -m local/script ok';
const reply = '# A **b**\n\n- `c`\n\n```sh\necho *d*\n```\n';
const screen = { tty: { stdout: true }, colour: true };

describe('the Markdown of an answer', () => {
  it.each([1, 3, 1000])('is rendered on a terminal, however it is cut: %i', async (chunkSize) => {
    const result = await run(script, { ...screen, env: localScript({ reply, chunkSize }) });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(readable(result.stdout)).toBe('⟨b:A b⟩\n\n⟨d:•⟩ ⟨c:c⟩\n\n⟨c:echo⟩ *d*\n');
  });

  it.each([
    ['to a pipe', {}],
    ['to a pipe beside a terminal', { tty: { stdin: false, stderr: true }, colour: true }],
    ['under NO_COLOR', { ...screen, env: { NO_COLOR: '1' } }],
    ['on a dumb terminal', { ...screen, env: { TERM: 'dumb' } }],
  ])('is passed on unchanged %s', async (_, options) => {
    const result = await run(echo, { ...options, stdin: reply });
    expect(result).toMatchObject({ code: 0, stdout: reply });
  });

  it('is passed on unchanged under --plain', async () => {
    const env = localScript({ reply });
    for (const option of ['--plain', '--json-object', '-m local/echo --plain'])
      expect((await run(`${script} ${option}`, { ...screen, env })).stdout).toContain(reply);
  });

  it('is passed on unchanged to a file, and into -x, --json and --events', async () => {
    const file = join(testFolder(), 'a.md');
    const env = localScript({ reply });
    expect(await run(`${script} -o ${file}`, { ...screen, env })).toMatchObject({ stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(reply);
    const extracted = await run(`${script} -x`, { ...screen, env });
    expect(extracted).toMatchObject({ code: 0, stdout: 'echo *d*\n', stderr: '' });
    const asJson = await run(`${script} --json`, { ...screen, env: { ...env, NO_COLOR: '1' } });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ text: reply });
    const asEvents = await run(`${script} --events`, { ...screen, env });
    expect(asEvents.stdout).not.toContain('\u001b');
  });

  it('is separate from the reasoning, whose styles it keeps', async () => {
    const shown: string[] = [];
    const onText = (text: string) => shown.push(text);
    await run(`${script} --reasoning-effort low`, {
      env: localScript({ reasoning: '*Hm*', reply: '**Yes**' }),
      tty: true,
      colour: true,
      onStdout: onText,
      onStderr: onText,
    });
    expect(readable(shown.join(''))).toMatch(/^⟨d:\*Hm\*⟩\n⟨b:Yes⟩\n⟨d:\d+ in, [^⟩]+⟩\n$/);
  });

  it('leaves no style open where the user interrupts, and loses no mark', async () => {
    const interrupt = new AbortController();
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunks('Hm **a *'));
    });
    const { stdout } = await run('chat -m m hi', {
      ...screen,
      env: service.env,
      signal: interrupt.signal,
      onStdout: () => {
        interrupt.abort(new Error('interrupted'));
      },
    });
    expect(readable(stdout)).toBe('Hm **a *\n');
  });
});
