import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { eventLine, toolCallJson } from '../../../src/chat/answer-json.js';
import { chunks, chunksEnd, events, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { run } from '../../helpers/run.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { attacks, liveIn } from '../../terminal/screens.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const inFolder = (name: string) => join(folder, name);
const ask = (...words: string[]) => ['--local', 'chat', '-m', 'local/script', ...words, 'x'];
const code = 'Here:\n\n```sh\necho hi\necho ho\n```\n\nor\n\n```\nother\n```\n';

describe('-o', () => {
  it('writes the answer to a new file, byte for byte, and stdout stays empty', async () => {
    const out = inFolder('a.md');
    const result = await run(['--local', 'chat', '-m', 'local/echo', '-o', out], {
      stdin: 'héllo 🌍\n',
    });
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(out, 'utf8')).toBe('héllo 🌍\n');
    expect(existsSync(`${out}.part`)).toBe(false);
  });

  it('keeps a file that exists, and asks nothing', async () => {
    writeFileSync(inFolder('a'), 'mine');
    const service = await fakeService(events(chunks('a') + chunksEnd));
    const result = await run(['chat', '-m', 'm', '-o', inFolder('a'), 'x'], { env: service.env });
    expect(result).toMatchObject({ code: 11, stdout: '' });
    expect(result.stderr).toBe(
      `error: ${inFolder('a')} exists\nhint: choose another name, or use --force to replace it\n`,
    );
    expect(readFileSync(inFolder('a'), 'utf8')).toBe('mine');
    expect(service.requests).toEqual([]);
  });

  it('replaces it under --force, once the answer is whole', async () => {
    writeFileSync(inFolder('a'), 'mine');
    const cut = await run(ask('-o', inFolder('a'), '--force'), {
      env: localScript({ reply: 'half', cut: 'end' }),
    });
    expect(cut).toMatchObject({ code: 12, stdout: '' });
    expect(readFileSync(inFolder('a'), 'utf8')).toBe('mine');
    const whole = await run(ask('-o', inFolder('a'), '--force'), {
      env: localScript({ reply: 'whole' }),
    });
    expect(whole).toMatchObject({ code: 0 });
    expect(readFileSync(inFolder('a'), 'utf8')).toBe('whole');
  });

  it('keeps what arrived of a truncated answer beside the name, and says where', async () => {
    const out = inFolder('a');
    const result = await run(ask('-o', out), { env: localScript({ reply: 'half', cut: 'drop' }) });
    expect(result).toMatchObject({ code: 12, stdout: '' });
    expect(result.stderr).toMatch(
      /^the text so far is in [^\n]+\.part\nerror: [^\n]+\nhint: [^\n]+\n$/,
    );
    expect(existsSync(out)).toBe(false);
    expect(readFileSync(`${out}.part`, 'utf8')).toBe('half');
  });

  it.skipIf(!canMount)('keeps what a full disk still accepted, and says so', async () => {
    const disk = smallDisk(12);
    const out = join(disk, 'a');
    const { code: exit, stderr } = await run(ask('-o', out), {
      env: localScript({ reply: 'x'.repeat(20_000) }),
    });
    expect(exit).toBe(11);
    expect(stderr).toMatch(
      /^error: cannot write \S+\/a\.part: the disk is full\nhint: free some space/m,
    );
    expect(readFileSync(`${out}.part`, 'utf8')).toMatch(/^x{100,}$/);
    expect(existsSync(out)).toBe(false);
  });

  it('that cannot be written is known before anything is sent', async () => {
    mkdirSync(inFolder('folder'));
    const service = await fakeService(events(chunks('a') + chunksEnd));
    for (const [path, more] of [
      [inFolder('none/a'), []],
      [inFolder('folder'), []],
      [inFolder('folder'), ['--force']],
      ['/dev/null/a', []],
    ] as const) {
      const line = ['chat', '-m', 'm', '-o', path, ...more, 'x'];
      const result = await run(line, { env: service.env });
      expect(result, line.join(' ')).toMatchObject({ code: 11, stdout: '' });
      expect(result.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    }
    expect(service.requests).toEqual([]);
  });

  it('keeps reasoning, the cost and tool calls out of the file', async () => {
    const env = localScript({
      reasoning: 'Hm.',
      reply: 'Yes.',
      toolCall: { name: 'f', arguments: {} },
    });
    const line = ask('-o', inFolder('a'), '--reasoning-effort', 'low');
    const result = await run(line, { env, tty: { stderr: true }, colour: true });
    expect(readFileSync(inFolder('a'), 'utf8')).toBe('Yes.');
    expect(result.stderr).toMatch(/^\u001b\[2mHm\.[^]* RUB/);
    expect(JSON.parse(result.stdout)).toMatchObject({ name: 'f' });
  });

  it('goes with --json: the text to the file, the object to stdout', async () => {
    const result = await run(ask('-o', inFolder('a'), '--json'), {
      env: localScript({ reply: 'Y' }),
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ text: 'Y', complete: true });
    expect(readFileSync(inFolder('a'), 'utf8')).toBe('Y');
  });
});

describe('-x', () => {
  it('prints the first fenced code block alone', async () => {
    const env = localScript({ reply: code, chunkSize: 1 });
    for (const more of [[], ['--no-stream']]) {
      const result = await run(ask('-x', ...more), { env });
      expect(result).toMatchObject({ code: 0, stdout: 'echo hi\necho ho\n', stderr: '' });
    }
  });

  it('without one shows the answer on stderr, leaves stdout and the file alone, exits 12', async () => {
    const env = localScript({ reply: 'No code.' });
    for (const more of [[], ['-o', inFolder('a')]]) {
      const result = await run(ask('-x', ...more), { env });
      expect(result).toMatchObject({ code: 12, stdout: '' });
      expect(result.stderr).toMatch(
        /^No code\.\nerror: the answer contains no fenced code block\nhint: [^\n]+\n$/,
      );
    }
    expect(existsSync(inFolder('a'))).toBe(false);
  });

  it('puts it into the field code under --json, and into done under --events', async () => {
    const env = localScript({ reply: code });
    const found = { text: code, code: 'echo hi\necho ho\n', complete: true };
    const asJson = await run(ask('-x', '--json'), { env });
    expect(asJson).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toMatchObject(found);
    const asEvents = await run(ask('-x', '--events'), { env });
    expect(asEvents).toMatchObject({ code: 0, stderr: '' });
    const last = asEvents.stdout.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ type: 'done', ...found });
    const none = await run(ask('-x', '--json'), { env: localScript({ reply: 'No code.' }) });
    expect(none.code).toBe(12);
    expect(JSON.parse(none.stdout)).toMatchObject({ text: 'No code.', code: '' });
    expect(JSON.parse(none.stderr)).toMatchObject({ error: { exit: 12, code: 'no_code_block' } });
  });
});

const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** A service whose answer never ends. */
const endless = () =>
  fakeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const piece = chunk('word '.repeat(2000));
    const talk = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', talk);
    talk();
  });

describe('an answer without end', () => {
  it.each(['--json', '--events', '--json -x'])('ends with what arrived: %s', async (manner) => {
    const { env } = await endless();
    const { code, stdout } = await run(`chat -m m ${manner} hi`, { env });
    expect(code).toBe(12);
    const last: unknown = JSON.parse(
      manner === '--events' ? (stdout.trim().split('\n').at(-1) ?? '') : stdout,
    );
    expect(last).toMatchObject({ complete: false, error: { code: 'answer_too_large' } });
    expect(last).toHaveProperty('text', expect.stringMatching(/^(?:word ){400000}/));
  });
});

it.each([
  ['nested without end', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['indented to more than it is', `${'[1,'.repeat(90)}${'1,'.repeat(2000)}1${']'.repeat(90)}`],
])('arguments %s stay plain text', (_, text) => {
  expect(toolCallJson({ name: 'f', arguments: text })).toMatchObject({ arguments: text });
});

it('attachments that together exceed a request are refused', async () => {
  const folder = testFolder();
  const path = join(folder, 'a.png');
  writeFileSync(path, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  truncateSync(path, 30_000_000);
  const { code, stderr } = await run(['--local', 'chat', '-m', 'm', '-a', path, '-a', path, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain('the attached data is 80.0 MB long; the limit is 71.0 MB');
});

test.each(attacks)(
  'an event that holds %s is the same value on a terminal, and harmless',
  (_, text) => {
    for (const isTerminal of [true, false]) {
      const line = eventLine({ type: 'text', text }, isTerminal);
      expect(JSON.parse(line)).toEqual({ type: 'text', text });
      if (isTerminal) expect(liveIn(line)).toEqual([]);
    }
  },
);
