import { describe, expect, it } from 'vitest';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { commentsIn, readWav, readWavHead } from '../../../src/lib/audio/wav.js';
import { chunk, comment, marks, tones, wav } from './files.js';

const sound = tones([10, 0.5]);

describe('a WAV file', () => {
  it('is read with the notes around its sound, and its marks', async () => {
    const before = [comment('one')];
    const after = [chunk('JUNK', Buffer.from('odd')), comment('two'), marks([0, 4])];
    const bytes = wav(sound, { before, after, sampleRate: 16_000 });
    const file = await readWav(bufferSource(bytes));
    expect(file).toMatchObject({
      format: { encoding: 1, channels: 1, sampleRate: 16_000, blockBytes: 2, bitsPerSample: 16 },
      marks: [0, 4],
    });
    expect(bytes.subarray(file?.dataFrom, file?.dataTo)).toEqual(sound);
    expect(commentsIn(file?.lists ?? [])).toEqual(['one', 'two']);
  });

  it.each([0, 0xffffffff])('whose length is told as %i lasts until its end', async (told) => {
    const bytes = wav(sound, { told });
    expect(await readWavHead(bufferSource(bytes))).toMatchObject({ dataTo: undefined });
    const file = await readWav(bufferSource(bytes));
    expect(bytes.subarray(file?.dataFrom, file?.dataTo)).toEqual(sound);
  });

  it.each([
    ['text', Buffer.from('hello, this is a text and no sound at all')],
    ['nothing', Buffer.alloc(0)],
    ['a format that is none', wav(sound, { channels: 0 })],
  ])('is not %s', async (_, bytes) => {
    expect(await readWav(bufferSource(bytes))).toBeUndefined();
  });
});
