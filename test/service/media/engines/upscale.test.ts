import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { recipeOf } from '../../../../src/service/media/engines/film.js';
import { bufferSource as bytesSource } from '../../../../src/lib/audio/source.js';
import { openMovie } from './film.js';
import { headOf, jobOf, make, makeOne, sourcesOf } from './make.js';
import { mp3 } from './mp3.js';

/** A picture of a smooth slope. */
function slope(width: number, height: number): Buffer {
  const png = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      png.data.set([x * 8, y * 8, 100, x === 0 ? 10 : 255], (y * width + x) * 4);
    }
  }
  return PNG.sync.write(png);
}

it.each([2, 4])('local/upscale enlarges a PNG picture %i times, smoothly', async (factor) => {
  const sources = await sourcesOf({ image: slope(30, 20) });
  const { files, meta } = await make('local/upscale', { opts: { factor } }, 0, sources);
  const png = PNG.sync.read(files[0] ?? Buffer.alloc(0));
  expect([png.width, png.height]).toEqual([30 * factor, 20 * factor]);
  expect(meta).toEqual({ width: png.width, height: png.height, factor, method: 'interpolated' });
  const at = (x: number, y: number) =>
    Array.from(png.data.subarray((y * png.width + x) * 4).subarray(0, 4));
  const wrong = [];
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
      // The middle of a large pixel, in the places of the small ones; edges stay flat.
      const across = Math.min(29, Math.max(0, (x + 0.5) / factor - 0.5));
      const down = Math.min(19, Math.max(0, (y + 0.5) / factor - 0.5));
      const [red = 0, green = 0, blue] = at(x, y);
      const isSmooth = Math.abs(red - across * 8) < 1 && Math.abs(green - down * 8) < 1;
      if (!isSmooth || blue !== 100) wrong.push({ x, y, red, green, blue });
    }
  }
  expect(wrong).toEqual([]);
  expect(at(0, 0)[3]).toBe(10);
  expect(at(png.width - 1, 0)[3]).toBe(255);
});

it('local/upscale enlarges even a line of pixels', async () => {
  const sources = await sourcesOf({ image: slope(1, 7) });
  const png = PNG.sync.read(await makeOne('local/upscale', {}, 0, sources));
  expect([png.width, png.height]).toEqual([2, 14]);
});

it('local/upscale draws a video of local/reel again at twice the size, with the same scene and length', async () => {
  const opts = { seconds: 1, resolution: '480p', aspect_ratio: '1:1' };
  const film = await headOf('local/reel', { prompt: 'a lighthouse', opts });
  const sources = await sourcesOf({ video: film });
  const { files, meta } = await make('local/upscale', {}, 0, sources);
  const { info } = openMovie(files[0] ?? Buffer.alloc(0));
  expect(info.tracks[0]?.video).toMatchObject({ width: 960, height: 960 });
  expect(info.tracks[0]?.nb_samples).toBe(24);
  expect(meta).toMatchObject({ seconds: 1, factor: 2, method: 'redrawn' });
  const after = await recipeOf(bytesSource(files[0] ?? Buffer.alloc(0)));
  expect(after?.parts).toEqual((await recipeOf(bytesSource(film)))?.parts);
});

it('local/upscale is priced by what comes out, of a video by its measured length', () => {
  const job = jobOf('local/upscale', { opts: { image_file_id: 'x', factor: 4 } });
  const png = { kind: 'image', mediaType: 'image/png', ext: 'png' } as const;
  // 2000 × 1000 pixels, 16 times as many.
  expect(job.price({ image: { ...png, width: 2000, height: 1000 } })).toEqual({
    priceRub: 16,
    isEstimate: false,
    breakdown: { rubPerMegapixel: 0.5, megapixels: 32 },
  });
  const size = { width: 854, height: 480, seconds: 7.5, hasRecipe: true };
  const film = { kind: 'video', mediaType: 'video/mp4', ext: 'mp4', ...size } as const;
  const video = jobOf('local/upscale', { opts: { video_file_id: 'x' } });
  expect(video.price({ video: film })).toEqual({
    priceRub: 11.25,
    isEstimate: false,
    breakdown: { rubPerSecond: 1.5, seconds: 7.5 },
    sourceSeconds: 7.5,
  });
  expect(video.price({})).toMatchObject({ priceRub: 7.5, isEstimate: true });
  expect(video.price({}).estimateReason).toMatch(/5 seconds/);
});

const jpeg = Buffer.from('ffd8ffc000110800c8012c03011100', 'hex');

it.each([
  ['a JPEG', jpeg, 'source_unsupported'],
  ['a picture too large', hugePng(), 'source_too_large'],
  ['sound in the place of a picture', mp3({ frames: 5 }), 'source_unsupported'],
])('local/upscale refuses %s, before it is paid', async (_, image, code) => {
  const sources = await sourcesOf({ image });
  const job = jobOf('local/upscale', { opts: { image_file_id: 'x' } });
  expect(() => job.price({ image: sources.image })).toThrow(expect.objectContaining({ code }));
});

it('local/upscale fails the job, and not the download, when the picture is damaged within', async () => {
  const whole = slope(64, 64);
  const at = whole.indexOf('IDAT') + 30;
  whole.fill(0x55, at, at + 20);
  const sources = await sourcesOf({ image: whole });
  const job = jobOf('local/upscale', { opts: { image_file_id: 'x' } });
  const code = 'source_unreadable';
  await expect(job.make(sources)).rejects.toMatchObject({ code });
});

/** The head of a picture larger than any that can be enlarged. */
function hugePng(): Buffer {
  const png = PNG.sync.write(new PNG({ width: 1, height: 1 }));
  png.writeUInt32BE(20_000, 16);
  return png;
}
