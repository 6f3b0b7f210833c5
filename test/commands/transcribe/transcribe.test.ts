import { createReadStream, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { transcription as limits } from '../../../src/contract/limits.js';
import { testFolder } from '../../helpers/folder.js';
import { silence } from '../../helpers/front.js';
import { mp3Frame, tones, wav } from '../../lib/audio/files.js';
import { large, listener } from './listener.js';
import { fails, jsonOf } from '../../helpers/run.js';

const recording = wav(tones([100, 0.5]));

it('svc transcribe sends the recording and prints the text alone', async () => {
  const at = await listener();
  const result = await at.svc(`${at.file('a.wav', recording)} --language ru`);
  expect(result).toMatchObject({ code: 0, stdout: 'what it says\n', stderr: '' });
  const [{ body, headers, url } = { body: '', headers: {}, url: '' }] = at.requests;
  expect(url).toBe('/v1/audio/transcriptions');
  expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  expect(body).toContain('name="model"\r\n\r\nvendor/ear\r\n');
  expect(body).toContain('name="language"\r\n\r\nru\r\n');
  expect(body).toContain('name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF');
});

it('svc transcribe ends the line on a terminal, and shows the cost', async () => {
  const at = await listener();
  const result = await at.svc(at.file('a.wav', recording), { tty: true });
  expect(result.stdout).toBe('what it says\n');
  expect(result.stderr).toContain('2.00 RUB · balance 90.00 RUB');
});

it('svc transcribe gives programs everything', async () => {
  const at = await listener();
  expect(await jsonOf(at.svc(`${at.file('a.wav', recording)} --json`))).toEqual({
    text: 'what it says',
    complete: true,
    model: 'vendor/ear',
    cost: { priceRub: 2, balanceRub: 90 },
    ids: { generationId: 'gen_1' },
    reply: { text: 'what it says' },
  });
});

it.each([
  ['a.mp3', Buffer.concat([mp3Frame('a'), mp3Frame('b')]), 'a.mp3', 'audio/mpeg'],
  ['a.txt', recording, 'a.wav', 'audio/wav'],
  ['a', recording, 'a.wav', 'audio/wav'],
  ['a.amr', Buffer.from('#!AMR\n\0\x3c\x91\xff', 'latin1'), 'a.amr', 'application/octet-stream'],
])(
  'svc transcribe sends %s under a name that fits its content',
  async (name, content, sent, type) => {
    const at = await listener();
    await at.svc(at.file(name, content));
    expect(at.requests[0]?.body).toContain(`filename="${sent}"\r\nContent-Type: ${type}`);
  },
);

it('svc transcribe accepts piped input, and leaves no copy behind', async () => {
  const at = await listener();
  const result = await at.svc('-', { stdin: recording, tty: false });
  expect(result).toMatchObject({ code: 0, stdout: 'what it says\n' });
  expect(at.requests[0]?.body).toContain('filename="stdin.wav"');
  expect(temporary()).toEqual([]);
});

/** Where copies of what is piped in are kept, in a folder of the test's own. */
let temporaryFolder = '';
const temporary = () =>
  readdirSync(temporaryFolder).filter((name) => name.startsWith('svc-recording-'));
beforeEach(() => {
  temporaryFolder = testFolder();
  vi.stubEnv('TMPDIR', temporaryFolder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('a folder for temporary files that is not there is reported before anything is sent', async () => {
  const at = await listener();
  const missing = join(at.home, 'missing');
  vi.stubEnv('TMPDIR', missing);
  expect(await at.svc('-', { stdin: recording, tty: false, home: at.home })).toMatchObject({
    code: 11,
    stdout: '',
    stderr: [
      `error: cannot store the recording in ${missing}: there is no such file or folder`,
      'hint: set TMPDIR to another folder',
      '',
    ].join('\n'),
  });
  expect(at.requests).toEqual([]);
});

const utf16 = Buffer.from('\ufeffhello', 'utf16le');
const picture = Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(40), 'latin1');
it.each<[what: string, content: Buffer | string, line: readonly string[], message: string]>([
  ['a text', 'Dear Sir or Madam,\n', ['a.wav'], 'a.wav is text, not a recording'],
  ['UTF-16 text', utf16, ['a.wav'], 'a.wav is text, not a recording'],
  ['a picture', picture, ['a.wav'], 'a.wav is image/png, not a recording'],
  ['an empty file', '', ['a.wav'], 'a.wav is empty'],
  ['a file that is not there', '', ['none.wav'], 'there is no file'],
  ['typing', '', ['-'], 'a recording cannot be typed: pipe it in'],
  [
    'a language of one letter',
    recording,
    ['a.wav', '--language', 'x'],
    'language must be 2 to 10 characters long',
  ],
  ['no model', recording, ['a.wav'], 'no transcription model is set'],
])('bad input %s is refused in a sentence', async (what, content, line, message) => {
  const at = await listener(undefined, what === 'no model' ? '' : undefined);
  at.file('a.wav', content);
  const result = await at.svc(line.map((word) => (word.endsWith('.wav') ? at.path(word) : word)));
  expect(result.code).toBe(2);
  expect(result.stderr.split('\n')[0]).toContain(message);
  expect(at.requests).toEqual([]);
});

it.each([
  ['a.wav', recording, '--split'],
  ['a.mp3', mp3Frame('a'), 'compress it'],
])('bad input %s of one byte more is refused before it is sent', async (name, content, hint) => {
  const at = await listener();
  const path = at.file(name, content);
  truncateSync(path, limits.fileBytes + 1);
  expect(await at.svc(path)).toMatchObject(
    fails(2, 'is larger than the limit of 50 MB (52.4 MB)', hint),
  );
  expect((await at.svc('-', { stdin: createReadStream(path), tty: false })).code).toBe(2);
  expect(at.requests).toEqual([]);
  expect(temporary()).toEqual([]);
});

it('ends at once when the user interrupts, and leaves no copy behind', async () => {
  const interrupt = new AbortController();
  const at = await listener();
  at.on(/./, { ...silence, first: () => interrupt.abort(new Interrupted('SIGINT')) });
  const { signal } = interrupt;
  expect((await at.svc('-', { stdin: recording, tty: false, signal })).code).toBe(130);
  expect(temporary()).toEqual([]);
});

it('--split cuts where it is quiet and joins the text', async () => {
  const at = await listener((count) => `part ${String(count)}.`);
  const path = at.file('lecture.wav', large());
  const result = await at.svc(`${path} --split`);
  expect(result).toMatchObject({ code: 0, stdout: 'part 1. part 2.\n' });
  expect(result.stderr).toContain('54.0 MB of WAV in 2 parts');
  const lengths = at.posts().map(({ headers }) => Number(headers['content-length']));
  expect(lengths[0]).toBeGreaterThan(50_000_000);
  expect(lengths[0]).toBeLessThan(50_401_000);
  expect(at.requests[1]?.body).toContain('filename="lecture-2.wav"');
}, 20_000);
