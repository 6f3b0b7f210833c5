import { existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { eventLine, toolCallJson } from '../../../src/chat/answer-json.js';
import { chunks, chunksEnd, events, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { attacks, liveIn } from '../../terminal/screens.js';
import { fileOf } from './scene.js';

const code = 'Here:\n\n```sh\necho hi\necho ho\n```\n\nor\n\n```\nother\n```\n';

/** Asks the model of a script, which follows this rule. */
const ask = (words: string, rule: object, options: RunOptions = {}) =>
  run(`--local chat -m local/script ${words} x`, { ...options, env: localScript(rule) });

const textOf = (path: string) => readFileSync(path, 'utf8');

describe('-o', () => {
  it('writes the answer to a new file, byte for byte, and stdout stays empty', async () => {
    const out = join(testFolder(), 'a.md');
    const stdin = 'héllo 🌍\n';
    const result = await run(`--local chat -m local/echo -o ${out}`, { stdin });
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(textOf(out)).toBe(stdin);
    expect(existsSync(`${out}.part`)).toBe(false);
  });

  it('replaces a file under --force, once the answer is whole', async () => {
    const out = fileOf('mine');
    const cut = await ask(`-o ${out} --force`, { reply: 'half', cut: 'end' });
    expect(cut).toMatchObject({ code: 12, stdout: '' });
    expect(textOf(out)).toBe('mine');
    expect(await ask(`-o ${out} --force`, { reply: 'whole' })).toMatchObject({ code: 0 });
    expect(textOf(out)).toBe('whole');
  });

  it('keeps what arrived of a truncated answer beside the name, and says where', async () => {
    const out = join(testFolder(), 'a');
    const result = await ask(`-o ${out}`, { reply: 'half', cut: 'drop' });
    expect(result).toMatchObject({ code: 12, stdout: '' });
    expect(result.stderr).toMatch(/^the text so far is in .+\.part\nerror: .+\nhint: .+\n$/);
    expect(existsSync(out)).toBe(false);
    expect(textOf(`${out}.part`)).toBe('half');
  });

  it.skipIf(!canMount)('keeps what a full disk still accepted, and says so', async () => {
    const out = join(smallDisk(12), 'a');
    const { code, stderr } = await ask(`-o ${out}`, { reply: 'x'.repeat(20_000) });
    expect(code).toBe(11);
    const error = /^error: cannot write \S+\/a\.part: the disk is full\nhint: free some space/m;
    expect(stderr).toMatch(error);
    expect(textOf(`${out}.part`)).toMatch(/^x{100,}$/);
    expect(existsSync(out)).toBe(false);
  });

  it.each(['DIR/none/a', 'DIR/folder', 'DIR/folder --force', '/dev/null/a'])(
    '%s cannot be written, which is known before anything is sent',
    async (path) => {
      const folder = testFolder();
      mkdirSync(join(folder, 'folder'));
      const { env, requests } = await fakeService(events(chunks('a') + chunksEnd));
      const result = await run(`chat -m m -o ${path.replace('DIR', folder)} x`, { env });
      expect(result).toMatchObject({ code: 11, stdout: '' });
      expect(result.stderr).toMatch(/^error: .+\n(hint: .+\n)?$/);
      expect(requests).toEqual([]);
    },
  );

  it('keeps reasoning, the cost and tool calls out of the file', async () => {
    const out = join(testFolder(), 'a');
    const rule = { reasoning: 'Hm.', reply: 'Yes.', toolCall: { name: 'f', arguments: {} } };
    const options = { tty: { stderr: true }, colour: true };
    const result = await ask(`-o ${out} --reasoning-effort low`, rule, options);
    expect(textOf(out)).toBe('Yes.');
    expect(result.stderr).toMatch(/^\u001b\[2mHm\.[^]* RUB/);
    expect(JSON.parse(result.stdout)).toMatchObject({ name: 'f' });
  });

  it('goes with --json: the text to the file, the object to stdout', async () => {
    const out = join(testFolder(), 'a');
    const result = await ask(`-o ${out} --json`, { reply: 'Y' });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ text: 'Y', complete: true });
    expect(textOf(out)).toBe('Y');
  });
});

it.each(['', '--no-stream'])('-x prints the first fenced code block alone %s', async (option) => {
  const result = await ask(`-x ${option}`, { reply: code, chunkSize: 1 });
  expect(result).toMatchObject({ code: 0, stdout: 'echo hi\necho ho\n', stderr: '' });
});

it('-x without one shows the answer on stderr, leaves stdout and the file alone, exits 12', async () => {
  const out = join(testFolder(), 'a');
  for (const option of ['', `-o ${out}`]) {
    const result = await ask(`-x ${option}`, { reply: 'No code.' });
    expect(result).toMatchObject({ code: 12, stdout: '' });
    const error = /^No code\.\nerror: the answer contains no fenced code block\nhint: .+\n$/;
    expect(result.stderr).toMatch(error);
  }
  expect(existsSync(out)).toBe(false);
});

it('-x puts it into the field code under --json, and into done under --events', async () => {
  const whole = { text: code, code: 'echo hi\necho ho\n', complete: true };
  const asJson = await ask('-x --json', { reply: code });
  expect(asJson).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(asJson.stdout)).toMatchObject(whole);
  const asEvents = await ask('-x --events', { reply: code });
  const last = asEvents.stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'done', ...whole });
  const none = await ask('-x --json', { reply: 'No code.' });
  expect(none.code).toBe(12);
  expect(JSON.parse(none.stdout)).toMatchObject({ text: 'No code.', code: '' });
  expect(JSON.parse(none.stderr)).toMatchObject({ error: { exit: 12, code: 'no_code_block' } });
});

it.each(['--json', '--events', '--json -x'])(
  'an answer without end ends with what arrived: %s',
  async (options) => {
    const content = 'word '.repeat(2000);
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
    const { env } = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const talk = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', talk);
      talk();
    });
    const { code, stdout } = await run(`chat -m m ${options} hi`, { env });
    expect(code).toBe(12);
    const lines = options === '--events' ? stdout.trim().split('\n') : [stdout];
    const last: unknown = JSON.parse(lines.at(-1) ?? '');
    expect(last).toMatchObject({ complete: false, error: { code: 'answer_too_large' } });
    expect(last).toHaveProperty('text', expect.stringMatching(/^(?:word ){400000}/));
  },
);

it.each([
  ['nested without end', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['indented to more than it is', `${'[1,'.repeat(90)}${'1,'.repeat(2000)}1${']'.repeat(90)}`],
])('arguments %s stay plain text', (_, text) => {
  expect(toolCallJson({ name: 'f', arguments: text })).toMatchObject({ arguments: text });
});

it('attachments that together exceed a request are refused', async () => {
  const path = fileOf(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  truncateSync(path, 30_000_000);
  const { code, stderr } = await run(['--local', 'chat', '-m', 'm', '-a', path, '-a', path, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain('the attached data is 80.0 MB long; the limit is 71.0 MB');
});

test.each(attacks)('an event with %s is the same on a terminal, and harmless', (_, text) => {
  for (const isTerminal of [true, false]) {
    const line = eventLine({ type: 'text', text }, isTerminal);
    expect(JSON.parse(line)).toEqual({ type: 'text', text });
    if (isTerminal) expect(liveIn(line)).toEqual([]);
  }
});

const object = '{"b":1.10,"a":[]}';
const wide = `["${'x'.repeat(1_000_000)}"]`;

it.each([
  ['of --json-object is indented', '--json-object', object, '{\n  "b": 1.10,\n  "a": []\n}\n'],
  ['of a schema is indented', '--schema {}', `${object}\n`, '{\n  "b": 1.10,\n  "a": []\n}\n'],
  ['is left alone with --plain', '--json-object --plain', object, `${object}\n`],
  ['that is none is left alone', '--json-object', '{"a', '{"a\n'],
  ['of a megabyte is left alone', '--json-object', wide, `${wide}\n`],
])('JSON %s on a terminal, and to a pipe', async (_, options, reply, expected) => {
  const shown = await ask(options, { reply }, { tty: true });
  expect(shown.stdout).toBe(expected);
  expect((await ask(options, { reply })).stdout).toBe(`${reply.trimEnd()}\n`);
});

it('the price stands apart from code that ends an answer', async () => {
  const shown = await ask('', { reply: code }, { tty: true, colour: true });
  expect(shown.stderr).toMatch(/\n\u001b\[2m\d+ in/);
  const text = await ask('', { reply: 'text' }, { tty: true, colour: true });
  expect(text.stderr).not.toContain('\n\u001b[2m');
});
