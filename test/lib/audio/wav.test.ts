import { describe, expect, it } from 'vitest';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { commentsIn, readWav } from '../../../src/lib/audio/wav.js';
import { chunk, comment, tones, wav } from './files.js';

const sound = tones([10, 0.5]);

describe('a WAV file', () => {
  it('is read with the notes around its sound', async () => {
    const before = [comment('one')];
    const after = [chunk('JUNK', Buffer.from('odd')), comment('two')];
    const bytes = wav(sound, { before, after, sampleRate: 16_000 });
    const file = await readWav(bufferSource(bytes));
    expect(file?.format).toMatchObject({ encoding: 1, sampleRate: 16_000, blockBytes: 2 });
    expect(bytes.subarray(file?.dataFrom, file?.dataTo)).toEqual(sound);
    expect(commentsIn(file?.lists ?? [])).toEqual(['one', 'two']);
  });

  it.each([0, 0xffffffff])('whose head says a length of %i lasts until its end', async (told) => {
    const source = bufferSource(wav(sound, { told }));
    expect(await readWav(source)).toMatchObject({ dataFrom: 44, dataTo: 44 + sound.length });
    expect(await readWav(source, Infinity)).toMatchObject({ dataFrom: 44, dataTo: Infinity });
  });

  it.each(['RF64', 'BW64'])('of the form %s has its length in ds64', async (form) => {
    const sizes = Buffer.alloc(28);
    sizes.writeBigUInt64LE(BigInt(sound.length), 8);
    const chunks = { before: [chunk('ds64', sizes)], after: [comment('later')], told: 0xffffffff };
    const bytes = wav(sound, chunks);
    bytes.write(form, 'latin1');
    const file = await readWav(bufferSource(bytes));
    expect(bytes.subarray(file?.dataFrom, file?.dataTo)).toEqual(sound);
    expect(commentsIn(file?.lists ?? [])).toEqual(['later']);
  });

  it.each([
    ['text', Buffer.from('hello, this is a text and no sound at all')],
    ['nothing', Buffer.alloc(0)],
    ['a format that is none', wav(sound, { channels: 0 })],
  ])('is not %s', async (_, bytes) => {
    expect(await readWav(bufferSource(bytes))).toBeUndefined();
  });
});
