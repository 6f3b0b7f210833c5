import { describe, expect, it } from 'vitest';
import { writeScore } from '../../../../src/service/media/engines/tune/score.js';
import { make, makeOne, oddPrompts } from './make.js';
import { levelOf, openWav } from './wav.js';

describe('local/tune', () => {
  it.each([1, 2.5, 15, 20.25])('plays %d seconds as WAV in stereo', async (seconds) => {
    const wav = openWav(await makeOne('local/tune', { prompt: 'rain', opts: { seconds } }));
    expect(wav).toMatchObject({ sampleRate: 44_100, channels: 2, bitDepth: '16' });
    expect(wav.seconds).toBe(seconds);
  });

  it('can be heard from its beginning, never clips, and fades at its end', async () => {
    const { samples } = openWav(await makeOne('local/tune', { prompt: 'rain' }));
    expect(levelOf(samples.subarray(0, 44_100))).toBeGreaterThan(0.02);
    expect(levelOf(samples)).toBeGreaterThan(0.02);
    expect(samples.filter((sample) => Math.abs(sample) >= 32_767)).toHaveLength(0);
    expect(levelOf(samples.subarray(-200))).toBeLessThan(0.001);
  });

  it('gives the same bytes for the same prompt, options and seed, and others for another', async () => {
    const tune = (prompt: string, seed: number) =>
      makeOne('local/tune', { prompt, opts: { seconds: 2 } }, seed);
    const first = await tune('rain', 1);
    expect((await tune('rain', 1)).equals(first)).toBe(true);
    expect((await tune('rain', 2)).equals(first)).toBe(false);
    expect((await tune('sun', 1)).equals(first)).toBe(false);
  });

  it('keeps the tempo that was asked for', async () => {
    const { meta } = await make('local/tune', { prompt: 'rain', opts: { seconds: 1, tempo: 77 } });
    expect(meta).toMatchObject({ beatsPerMinute: 77 });
    const { notes } = writeScore('rain', 0, 12, 60);
    const starts = notes.filter(({ place }) => place < 0).map(({ startSeconds }) => startSeconds);
    // The bass plays on every beat, and a beat is a second.
    expect(starts).toEqual(Array.from({ length: 12 }, (_, beat) => beat));
  });

  it.each(oddPrompts)('takes a prompt of %s and notes it', async (_, prompt) => {
    const file = await makeOne('local/tune', { prompt, opts: { seconds: 1 } });
    expect(openWav(file).seconds).toBe(1);
    const noted = Buffer.concat([Buffer.from(prompt), Buffer.from([0])]);
    expect(file.includes(noted)).toBe(true);
  });
});
