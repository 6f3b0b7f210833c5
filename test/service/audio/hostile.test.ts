/** Files that were made to keep a reader busy. */
import { describe, expect, it } from 'vitest';
import { measure } from '../../../src/service/media/engines/measure.js';
import type { SizedSource } from '../../../src/lib/audio/source.js';
import { loudnessOf, readSpokenText } from '../../../src/service/media/engines/transcribe.js';
import { mp3 } from '../media/engines/mp3.js';
import { wav } from '../media/tones.js';

/** Bytes that count how often they are asked for. */
function counted(bytes: Buffer): SizedSource & { readonly reads: () => number } {
  let count = 0;
  return {
    length: bytes.length,
    read: (offset, length) => {
      count += 1;
      return Promise.resolve(bytes.subarray(offset, offset + length));
    },
    reads: () => count,
  };
}

const mb = 1024 * 1024;

function chunks(name: string): Buffer {
  const chunk = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(4)]);
  return Buffer.alloc(2 * mb, chunk);
}

describe('a file made to keep its reader busy', () => {
  it.each([
    ['zeros behind a WAV file', Buffer.concat([wav(1), Buffer.alloc(2 * mb)])],
    ['many empty chunks behind a WAV file', Buffer.concat([wav(1), chunks('junk')])],
    ['many empty lists behind a WAV file', Buffer.concat([wav(1), chunks('LIST')])],
    [
      'many empty tags behind an MP3 file',
      Buffer.concat([
        mp3({ frames: 5, tagBytes: 10 }),
        Buffer.alloc(2 * mb, 'ID3\x04\0\0\0\0\0\0', 'latin1'),
      ]),
    ],
  ])('is soon done with: %s', async (_, bytes) => {
    const source = counted(bytes);
    expect(await measure(source)).toMatchObject({ kind: 'audio' });
    expect(await readSpokenText(source)).toBeUndefined();
    expect(source.reads()).toBeLessThan(50_000);
  });

  it.each([1, 0xffffffff])('is soon done with: a WAV file of %i samples a second', async (rate) => {
    const bytes = Buffer.concat([wav(1).subarray(0, 44), Buffer.alloc(2 * mb)]);
    bytes.writeUInt32LE(rate, 24);
    bytes.writeUInt32LE(2 * mb, 40);
    const source = counted(bytes);
    expect(await loudnessOf(source)).toMatchObject({ level: 0, peak: 0 });
    expect(source.reads()).toBeLessThan(100);
  });

  it('is soon done with: many empty blocks of a FLAC file', async () => {
    const source = counted(Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(2 * mb)]));
    expect(await readSpokenText(source)).toBeUndefined();
    expect(source.reads()).toBeLessThan(100);
  });
});
