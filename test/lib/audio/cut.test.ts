import { describe, expect, it } from 'vitest';
import { cutWav } from '../../../src/lib/audio/cut.js';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { commentsIn, readWav } from '../../../src/lib/audio/wav.js';
import { chunk, comment, gathered, joined, tones, wav } from './files.js';

const damaged = Buffer.alloc(9000, 0xff);

async function cut(file: Buffer, maxBytes: number) {
  const source = bufferSource(file);
  const read = await readWav(source);
  if (!read) throw new Error('no file');
  const cuts = await cutWav(source, read, maxBytes);
  const files: Buffer[] = [];
  const sounds: Buffer[] = [];
  for (const { content } of cuts) {
    const one = await gathered(content.open());
    expect(one.length).toBe(content.length);
    expect(one.length).toBeLessThanOrEqual(maxBytes);
    const part = await readWav(bufferSource(one));
    files.push(one);
    sounds.push(one.subarray(part?.dataFrom, part?.dataTo));
  }
  return { cuts, files, sounds };
}

describe('a WAV file is cut', () => {
  // 8000 samples are a second.
  it.each<[bits: number, encoding: number, write: (to: Buffer, level: number) => void]>([
    [8, 1, (to, level) => to.writeUInt8(128 + level * 100)],
    [16, 1, (to, level) => to.writeInt16LE(level * 30_000)],
    [24, 1, (to, level) => to.writeIntLE(level * 8_000_000, 0, 3)],
    [32, 1, (to, level) => to.writeInt32LE(level * 2_000_000_000)],
    [32, 3, (to, level) => to.writeFloatLE(level)],
    [64, 3, (to, level) => to.writeDoubleLE(level)],
  ])('where it is quiet, in samples of %i bits, encoding %i', async (bits, encoding, write) => {
    const levels = [0.5, 0, 0.5].flatMap((level) => Array<number>(5000).fill(level));
    const samples = levels.map((level, at) => {
      const sample = Buffer.alloc(bits / 8);
      write(sample, at % 2 === 0 ? level : -level);
      return sample;
    });
    const sound = Buffer.concat(samples);
    const { cuts, sounds } = await cut(wav(sound, { bits, encoding }), (sound.length * 2) / 3);
    expect(Buffer.concat(sounds).equals(sound)).toBe(true);
    const end = cuts[0]?.seconds.to ?? 0;
    expect(end > 0.6 && end < 1.3).toBe(true);
  });

  it('never between two channels, and at the limit when it is loud throughout', async () => {
    const sound = tones([20_001 * 2, 0.5]);
    const { sounds, cuts } = await cut(wav(sound, { channels: 2 }), 30_000);
    expect(Buffer.concat(sounds).equals(sound)).toBe(true);
    expect(cuts).toHaveLength(4);
    for (const part of sounds) expect(part.length % 4).toBe(0);
  });

  it('where it was joined, each part with its own words', async () => {
    const pieces = ['one ', 'two ', 'three'].map((text) =>
      wav(tones([5000, 0.5]), { after: [comment(text)] }),
    );
    const { cuts, files, sounds } = await cut(await joined('wav', ...pieces), 21_000);
    expect(sounds.map(({ length }) => length)).toEqual([20_000, 10_000]);
    expect(cuts.map((one) => one.comment)).toEqual(['one two ', 'three']);
    const first = await readWav(bufferSource(files[0] ?? Buffer.alloc(0)));
    expect(commentsIn(first?.lists ?? [])).toEqual(['one ', 'two ']);
  });

  it('where it is quiet in a piece that is too large itself, whose words are shared out', async () => {
    const large = tones([8000, 0.5], [4000, 0], [8000, 0.5]);
    const { cuts, files, sounds } = await cut(
      await joined(
        'wav',
        wav(tones([1000, 0.5]), { after: [comment('small ')] }),
        wav(large, { after: [comment('one two three four ', 'svc')] }),
        wav(tones([1000, 0.5]), { after: [comment('end')] }),
      ),
      30_000,
    );
    expect(cuts.map((one) => one.comment)).toEqual(['small ', 'one two ', 'three four ', 'end']);
    expect(Buffer.concat(sounds.slice(1, 3)).equals(large)).toBe(true);
    for (const file of files.slice(1, 3)) expect(file.includes('ISFT\x04\0\0\0svc\0')).toBe(true);
  });

  it.each([
    ['that leave no room for the sound', () => [comment('x '.repeat(10_000))]],
    [
      'whose bytes are no text, and would be more as such',
      () => [chunk('LIST', Buffer.concat([Buffer.from('INFO'), chunk('ICMT', damaged)]))],
    ],
  ])('without notes %s', async (_, notes) => {
    const sound = tones([20_000, 0.5]);
    const { cuts, sounds } = await cut(wav(sound, { after: notes() }), 30_000);
    expect(cuts.map((one) => one.comment)).toEqual(['', '']);
    expect(Buffer.concat(sounds).equals(sound)).toBe(true);
  });
});
