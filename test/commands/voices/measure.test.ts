import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { secondsOf, type Recording } from '../../../src/commands/voices/samples.js';
import { LocalFileError } from '../../../src/errors.js';
import { testFolder } from '../../helpers/folder.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { wav } from './scene.js';

const { signal } = new AbortController();

/** A note that ends outside of the list that it stands in. */
const badNote = Buffer.from('LIST\x0f\0\0\0INFOICMT\x03\0\0\0ab\0\0', 'latin1');

function recording(bytes: Buffer, mediaType: Recording['mediaType']): Recording {
  const path = join(testFolder(), 'recording');
  writeFileSync(path, bytes);
  return { path, length: bytes.length, mediaType };
}

describe('the length of a recording', () => {
  it.each([
    ['a WAV file', wav({ seconds: 12 }), 12],
    ['a WAV file whose head promises more', wav({ seconds: 400 }).subarray(0, 80_044), 10],
    ['a WAV file that was piped, whose head does not know', piped(wav({ seconds: 3 })), 3],
    ['a WAV file whose writer was cut off', piped(wav({ seconds: 3 }), 0), 3],
    ['a WAV file with a badly written note', Buffer.concat([wav({ seconds: 3 }), badNote]), 3],
  ])('of %s is that of its sound', async (_, bytes, seconds) => {
    expect(await secondsOf(recording(bytes, 'audio/wav'), signal)).toBeCloseTo(seconds, 2);
  });

  it.each([
    ['one bit rate', mp3({ frames: 500 }), (500 * 1152) / 44_100],
    [
      'a rate that changes after a silence',
      Buffer.concat([mp3({ frames: 9, kbps: [32] }), mp3({ frames: 491, kbps: [128] })]),
      (500 * 1152) / 44_100,
    ],
    ['changing bit rates', mp3({ frames: 500, kbps: [32, 128] }), (500 * 1152) / 44_100],
    ['half the sample rate', mp3({ frames: 500, version: 2 }), (500 * 576) / 22_050],
    ['a head that tells of more', cut(mp3({ frames: 501, info: true })), (500 * 1152) / 44_100],
    ['a tag before it', mp3({ frames: 500, tagBytes: 70_000 }), (500 * 1152) / 44_100],
  ])('of MP3 with %s is that of its frames', async (_, bytes, seconds) => {
    const measured = await secondsOf(recording(bytes, 'audio/mpeg'), signal);
    expect(Math.abs((measured ?? 0) - seconds)).toBeLessThan(0.15);
  });

  it.each([
    ['audio/wav', Buffer.from('RIFF\0\0\0\0WAVEjunk')],
    ['audio/wav', wav({ seconds: 0 })],
    ['audio/wav', withoutBlocks(wav())],
    ['audio/mpeg', Buffer.from('no frames at all')],
    ['audio/mpeg', wav()],
    ['audio/wav', mp3({ frames: 50 })],
  ] as const)('of what is no %s is not known', async (mediaType, bytes) => {
    expect(await secondsOf(recording(bytes, mediaType), signal)).toBeUndefined();
  });

  it.each(['audio/wav', 'audio/mpeg'] as const)(
    'of a file that is gone (%s)',
    async (mediaType) => {
      const gone = { path: join(testFolder(), 'gone'), length: 100, mediaType };
      await expect(secondsOf(gone, signal)).rejects.toBeInstanceOf(LocalFileError);
    },
  );

  it('is given up when nobody waits for it', async () => {
    const abort = new AbortController();
    const long = recording(mp3({ frames: 20_000, kbps: [32, 64] }), 'audio/mpeg');
    const reason = new Error('nobody waits');
    const measuring = secondsOf(long, abort.signal);
    setImmediate(() => abort.abort(reason));
    await expect(measuring).rejects.toBe(reason);
  });
});

/** The first frame tells of ten times as many as there are. */
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
