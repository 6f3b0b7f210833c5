import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Recording, secondsOf } from '../../../src/media/samples.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { wav } from './scene.js';

it('a supplier that refuses more recordings is reported with exit code 6, and may be tried again', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', ...line], { home });
  const path = join(home, 'three.wav');
  writeFileSync(path, wav({ seconds: 3 }));
  const name = 'narrator:refusing';
  const made = await svc('voices', 'create', name, path, '--engine', 'extvoice', '--consent');
  expect(made.code).toBe(0);
  const before = await svc('voices', 'list');
  const result = await svc('voices', 'add-samples', name, path, '--json');
  expect(result).toMatchObject({ code: 6, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { exit: 6, status: 502, code: 'voice_samples_failed', hint: 'run it again in a moment' },
  });
  expect(await svc('voices', 'list')).toEqual(before);
});

const { signal } = new AbortController();

function recording(bytes: Buffer, mediaType: Recording['mediaType']): Recording {
  const path = join(testFolder(), 'recording');
  writeFileSync(path, bytes);
  return { path, length: bytes.length, mediaType };
}

it.each([
  ['a WAV file', wav({ seconds: 12 }), 12],
  ['a WAV file whose head promises more', wav({ seconds: 400 }).subarray(0, 80_044), 10],
  ['a WAV file that was piped, whose head does not know', piped(wav({ seconds: 3 })), 3],
])('the length of a recording of %s is that of its sound', async (_, bytes, seconds) => {
  expect(await secondsOf(recording(bytes, 'audio/wav'), signal)).toBeCloseTo(seconds, 2);
});

it.each([
  ['one bit rate', mp3({ frames: 500 }), (500 * 1152) / 44_100],
  ['changing bit rates', mp3({ frames: 500, kbps: [32, 128] }), (500 * 1152) / 44_100],
  ['a head that tells of more', cut(mp3({ frames: 501, info: true })), (500 * 1152) / 44_100],
  ['a tag before it', mp3({ frames: 500, tagBytes: 70_000 }), (500 * 1152) / 44_100],
])('the length of a recording of MP3 with %s is that of its frames', async (_, bytes, seconds) => {
  const measured = await secondsOf(recording(bytes, 'audio/mpeg'), signal);
  expect(Math.abs((measured ?? 0) - seconds)).toBeLessThan(0.15);
});

it.each([
  ['audio/wav', Buffer.from('RIFF\0\0\0\0WAVEjunk')],
  ['audio/wav', withoutBlocks(wav())],
  ['audio/mpeg', Buffer.from('no frames at all')],
  ['audio/wav', mp3({ frames: 50 })],
] as const)('the length of a recording of what is no %s is not known', async (mediaType, bytes) => {
  expect(await secondsOf(recording(bytes, mediaType), signal)).toBeUndefined();
});

it('the length of a recording is aborted with its signal', async () => {
  const abort = new AbortController();
  const long = recording(mp3({ frames: 20_000, kbps: [32, 64] }), 'audio/mpeg');
  const reason = new Error('nobody waits');
  const measuring = secondsOf(long, abort.signal);
  setImmediate(() => abort.abort(reason));
  await expect(measuring).rejects.toBe(reason);
});

/** The first frame claims ten times as many as there are. */
function cut(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const info = copy.indexOf('Info');
  // Of its fields the number of frames and the number of bytes are there.
  copy.writeUInt32BE(3, info + 4);
  copy.writeUInt32BE(5000, info + 8);
  copy.writeUInt32BE(bytes.length * 10, info + 12);
  return copy;
}

/** A program that writes to a pipe cannot go back and say how much it was. */
function piped(bytes: Buffer, told = 0xffffffff): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(told, 4);
  copy.writeUInt32LE(told, 40);
  return copy;
}

/** A moment of its sound has no bytes. */
function withoutBlocks(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16LE(0, 32);
  return copy;
}
