/** Recordings at the limit of the service, and larger: the spoken text is transcribed exactly. */
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { transcription as limits } from '../../src/contract/limits.js';
import { chapter } from '../../test/commands/speak/book.js';
import { large, listener } from '../../test/commands/transcribe/listener.js';
import { testFolder } from '../../test/helpers/folder.js';
import { run } from '../../test/helpers/run.js';
import { tones, wav } from '../../test/lib/audio/files.js';

/** `svc --local LINE` in a home of its own; the path of a recording. */
function local(name: string) {
  const home = testFolder();
  const svc = (...words: string[]) => run(['--local', ...words], { home, tty: { stdin: true } });
  return { svc, path: join(home, name) };
}

it.each(['chapter.wav', 'chapter.mp3'])(
  'a chapter is transcribed exactly from a joined %s',
  async (name) => {
    const { svc, path } = local(name);
    expect(chapter.length).toBeGreaterThan(10_000);
    const spoken = await svc('speak', '--speed', '4', '-o', path, '--', chapter);
    expect(spoken.stderr).toContain('in 2 pieces');
    const transcript = await svc('transcribe', path);
    expect(transcript.code).toBe(0);
    expect(transcript.stdout === `${chapter}\n`).toBe(true);
  },
  60_000,
);

it('one piece of more than 50 MB is transcribed exactly when it is cut', async () => {
  const { svc, path } = local('slow.wav');
  const text = chapter.slice(0, 3200);
  await svc('speak', '--speed', '0.25', '-o', path, '--', text);
  expect(statSync(path).size).toBeGreaterThan(50 * 1024 * 1024);
  const transcript = await svc('transcribe', '--split', path);
  expect(transcript.stderr).toContain('of WAV in 2 parts');
  expect(transcript.stdout).toBe(`${text}\n`);
}, 60_000);

it('several parts have separate texts even with silence in between', async () => {
  const at = await listener((count) => ['one.', '', 'three.'][count - 1] ?? '');
  const result = await at.svc(`${at.file('lecture.wav', large(110_000_000))} --split`);
  expect(result).toMatchObject({ code: 0, stdout: 'one. three.\n' });
}, 60_000);

const recording = wav(tones([100, 0.5]));

it('a recording of just 50 MB is sent', async () => {
  const at = await listener();
  const path = at.file('a.wav', recording);
  truncateSync(path, limits.fileBytes);
  expect((await at.svc(path)).code).toBe(0);
});

it('an endless pipe is read no further than 50 MB', async () => {
  const at = await listener();
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 65_536;
      yield given === 65_536
        ? Buffer.concat([recording, Buffer.alloc(65_536)])
        : Buffer.alloc(65_536);
      await Promise.resolve();
    }
  }
  const result = await at.svc('-', { stdin: Readable.from(endless()), tty: false });
  expect(result.code).toBe(2);
  expect(given).toBeLessThan(limits.fileBytes + 10_000_000);
});
