/** Paints the pictures of local/canvas. */
import type { Ordered } from '../define.js';
import { encodePng } from '../png/encode.js';
import { makeScene } from '../scene/scene.js';
import type { MakeInput, MediaFile, MediaResult } from '../types.js';
import { pictureSize, type CanvasOpts, type Quality } from './canvas.js';
import type { Size } from './sizes.js';

/** Scene pixels to one pixel of the picture, on each side: below 1 pixels are repeated. */
const detail: Readonly<Record<Quality, number>> = { draft: 0.5, standard: 1, high: 2 };

export function draw(
  { prompt, opts }: Ordered<CanvasOpts>,
  input: MakeInput,
): Promise<MediaResult> {
  const seed = opts.seed ?? input.seed;
  const size = pictureSize(opts);
  const files = Array.from({ length: opts.n }, (_, index) =>
    picture(prompt, `${seed}:${index}`, size, opts.quality),
  );
  return Promise.resolve({ files, resultMeta: { ...size, seed, quality: opts.quality } });
}

function picture(prompt: string, seed: string, size: Size, quality: Quality): MediaFile {
  const rows = () => paintRows(prompt, seed, size, detail[quality]);
  const texts = { Description: prompt, Software: 'svc local/canvas' };
  return {
    mediaType: 'image/png',
    ext: 'png',
    bytes: () => encodePng({ ...size, channels: 3, rows }, texts),
  };
}

/** The rows of a scene painted `scale` times as large as the picture that shows it. */
function* paintRows(prompt: string, seed: string, { width, height }: Size, scale: number) {
  const scene = makeScene({ prompt, seed, width: width * scale, height: height * scale });
  const fine = new Uint8Array(scene.width * 3);
  const sums = new Uint16Array(width * 3);
  const row = new Uint8Array(width * 3);
  const perPixel = Math.max(1, scale);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let part = 0; part < perPixel; part++) {
      scene.paint(Math.floor((y + part / perPixel) * scale), 0, scene.width, 0, fine, 0);
      addRow(sums, fine, width, scale);
    }
    for (let at = 0; at < row.length; at++) row[at] = (sums[at] ?? 0) / perPixel ** 2;
    yield row;
  }
}

/** Adds a row of the scene to the sums of the picture's pixels. */
function addRow(sums: Uint16Array, fine: Uint8Array, width: number, scale: number): void {
  const perPixel = Math.max(1, scale);
  for (let x = 0; x < width; x++) {
    for (let part = 0; part < perPixel; part++) {
      const from = Math.floor((x + part / perPixel) * scale) * 3;
      for (let channel = 0; channel < 3; channel++) {
        const at = x * 3 + channel;
        sums[at] = (sums[at] ?? 0) + (fine[from + channel] ?? 0);
      }
    }
  }
}
