import { expect, it } from 'vitest';
import {
  extendReel,
  extensionSeconds,
  recipeOf,
} from '../../../../src/service/media/engines/film.js';
import { box } from '../../../../src/service/media/engines/movie.js';
import { bufferSource as bytesSource } from '../../../../src/lib/audio/source.js';
import { framesOf, openMovie } from './film.js';
import { bytesOf, headOf, makeOne, oddPrompts } from './make.js';

const small = { resolution: '480p', seconds: 1, aspect_ratio: '1:1' };
/** The index and the first frame of a small film, drawn in 30 rows of blocks. */
const untilSecondFrame = 33;

/** The film after an extension, or its first pieces. */
async function extended(
  film: Buffer,
  order: Parameters<typeof extendReel>[1],
  maxPieces?: number,
): Promise<Buffer> {
  const [file] = (await extendReel(bytesSource(film), order)).files;
  if (!file) throw new Error('no file');
  return bytesOf(file, maxPieces);
}

it.each([
  [{ seconds: 2, resolution: '480p' }, 854, 480, 48],
  [{ seconds: 1, resolution: '720p' }, 1280, 720, 24],
  [{ seconds: 1, resolution: '1080p' }, 1920, 1080, 24],
  [{ seconds: 1.5, resolution: '480p', aspect_ratio: '9:16' }, 480, 854, 36],
  [{ seconds: 1, resolution: '480p', aspect_ratio: '4:3' }, 640, 480, 24],
])(
  'local/reel films %o as MP4 of %i by %i pixels and %i frames',
  async (opts, width, height, frames) => {
    const { info } = openMovie(await headOf('local/reel', { prompt: 'a lighthouse', opts }));
    const [track, ...others] = info.tracks;
    expect(others).toEqual([]);
    expect(track).toMatchObject({
      type: 'video',
      nb_samples: frames,
      track_width: width,
      track_height: height,
      video: { width, height },
    });
    // Constrained baseline: what every player opens.
    expect(track?.codec).toMatch(/^avc1\.42c0[0-9a-f]{2}$/);
    expect(info.duration / info.timescale).toBeCloseTo(opts.seconds, 3);
    expect((track?.duration ?? 0) / (track?.timescale ?? 1)).toBe(opts.seconds);
    expect(info.isProgressive).toBe(true);
  },
);

it('local/reel holds a picture in every frame, and movement between them', async () => {
  const file = await makeOne('local/reel', { prompt: 'a lighthouse', opts: small });
  const frames = await framesOf(file);
  expect(frames).toHaveLength(24);
  expect([frames[0]?.width, frames[0]?.height]).toEqual([480, 480]);
  const [first, last] = [frames[0]?.samples ?? [], frames[23]?.samples ?? []];
  const moved = Array.from(first, (value, at) => Math.abs(value - (last[at] ?? 0)) > 20);
  const changed = moved.filter(Boolean).length / moved.length;
  expect(changed).toBeGreaterThan(0.0005);
  expect(changed).toBeLessThan(0.2);
  expect(new Set(first).size).toBeGreaterThan(40);
});

it('local/reel can be played from every five seconds, and shows the same from there', async () => {
  const file = await makeOne('local/reel', { prompt: 'x', opts: { ...small, seconds: 11 } });
  const samples = openMovie(file).samplesOf(0);
  const keys = samples.flatMap(({ isKey }, index) => (isKey ? [index] : []));
  expect(keys).toEqual([0, 120, 240]);
  expect(new Set(samples.map(({ ticks }) => ticks))).toEqual(new Set([512]));
  expect(new Set(samples.map(({ coding }) => coding))).toEqual(new Set(['avc1']));
  const frames = await framesOf(file, 121);
  const [before, key] = [frames[119]?.samples ?? [], frames[120]?.samples ?? []];
  // Between the two the disc alone has moved: nothing was left behind on its way.
  const changed = Array.from(key, (value, at) => value !== before[at]).filter(Boolean).length;
  expect(changed / key.length).toBeLessThan(0.005);
});

it.each(oddPrompts)('local/reel accepts a prompt of %s and can return it', async (_, prompt) => {
  const file = await headOf('local/reel', { prompt, opts: { ...small, seed: 3 } });
  expect(openMovie(file).info.tracks).toHaveLength(1);
  const recipe = await recipeOf(bytesSource(file));
  expect(recipe?.parts).toEqual([{ prompt, seed: 3, from: 0, seconds: 1 }]);
});

it.each(['lite', 'fast', 'quality'] as const)(
  'an extended film is longer by what its tier %s gives',
  async (tier) => {
    const film = await headOf('local/reel', { prompt: 'sea', opts: small });
    const { info } = openMovie(await extended(film, { prompt: 'sea', tier }, 1));
    expect(info.duration / info.timescale).toBeCloseTo(1 + extensionSeconds[tier], 3);
  },
);

it('an extended film begins with the film it extends, frame for frame, and continues where that ended', async () => {
  const film = await headOf('local/reel', { prompt: 'sea', opts: small });
  const longer = await extended(film, { prompt: 'sea', tier: 'lite' });
  const recipe = await recipeOf(bytesSource(longer));
  expect(recipe?.parts.map(({ from }) => from)).toEqual([0, 1]);
  const whole = await makeOne('local/reel', { prompt: 'sea', opts: { ...small, seconds: 2 } });
  const [now, then] = [await framesOf(longer, 48), await framesOf(whole)];
  now.forEach(({ samples }, index) => {
    expect(Buffer.compare(samples, then[index]?.samples ?? new Uint8Array(0))).toBe(0);
  });
});

it('an extended film can be extended again, with another scene and a mark', async () => {
  const film = await headOf('local/reel', { prompt: 'sea', opts: small });
  const next = { prompt: 'forest', tier: 'lite' } as const;
  const once = await extended(film, next, untilSecondFrame);
  const last = { prompt: 'x', tier: 'lite', seeds: 4, watermark: 'me' } as const;
  const twice = await extended(once, last, untilSecondFrame);
  const recipe = await recipeOf(bytesSource(twice));
  expect(recipe).toMatchObject({ width: 480, height: 480, watermark: 'me' });
  expect(recipe?.parts.map(({ prompt, from, seconds }) => [prompt, from, seconds])).toEqual([
    ['sea', 0, 1],
    ['forest', 0, 3],
    ['x', 0, 3],
  ]);
  const samples = openMovie(twice).samplesOf(0);
  expect(samples.flatMap(({ isKey }, index) => (isKey ? [index] : []))).toEqual([0, 24, 96]);
  const [marked, plain] = [await framesOf(twice, 1), await framesOf(once, 1)];
  const [withMark, without] = [marked[0]?.samples ?? [], plain[0]?.samples ?? []];
  expect(Buffer.compare(Buffer.from(withMark), Buffer.from(without))).not.toBe(0);
});

it('an extended film is refused for any other file, and beyond three minutes', async () => {
  const order = { prompt: 'x', tier: 'quality' } as const;
  await expect(extendReel(bytesSource(Buffer.from('no film')), order)).rejects.toMatchObject({
    code: 'source_unsupported',
  });
  const parts = [{ prompt: 'x', seed: 0, from: 0, seconds: 179 }];
  const recipe = JSON.stringify({ width: 64, height: 64, parts });
  await expect(extendReel(bytesSource(movieWith(recipe)), order)).rejects.toMatchObject({
    code: 'source_too_long',
  });
});

it.each([
  '{"width":64,"height":64,"parts":[]}',
  '{"width":63,"height":64,"parts":[{"prompt":"x","seed":0,"from":0,"seconds":1}]}',
  '{"width":1e9,"height":64,"parts":[{"prompt":"x","seed":0,"from":0,"seconds":1}]}',
  '{"width":64,"height":64,"parts":[{"prompt":"x","seed":0,"from":0,"seconds":1e9}]}',
])('an extended film never trusts a recipe that someone else wrote: %s', async (recipe) => {
  expect(await recipeOf(bytesSource(movieWith(recipe)))).toBeUndefined();
});

/** The note of a film alone, which is all that an extension reads. */
function movieWith(recipe: string): Buffer {
  return box('moov', box('udta', box('svcr', Buffer.from(recipe))));
}
