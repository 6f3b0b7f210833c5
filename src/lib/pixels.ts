/** Decoded pictures: bounded in pixels and time, since their files come from outside. */
import { imageSize } from './image-size.js';
import { TimeLimitError, withinTime } from './time-limit.js';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity. */
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Why a picture cannot be shown, as the end of a sentence. */
export class NoPicture extends Error {}

const maxPixels = 25_000_000;

/** @throws NoPicture */
export async function pixelsIn(bytes: Buffer): Promise<Pixels> {
  const { kind, width = 0, height = 0 } = imageSize(bytes) ?? {};
  if (width * height > maxPixels) throw new NoPicture(`${width} × ${height} is too large`);
  // The library inflates an interlaced picture without a limit.
  const isPng = kind === 'PNG' && bytes[28] === 0;
  if (!isPng && kind !== 'JPEG') throw new NoPicture('it is neither JPEG nor plain PNG');
  const { PNG } = (await import('pngjs')).default;
  const { decode } = (await import('jpeg-js')).default;
  try {
    return withinTime(5000, () => (isPng ? PNG.sync.read(bytes) : decode(bytes)));
  } catch (error) {
    const isLate = error instanceof TimeLimitError;
    throw new NoPicture(isLate ? 'decoding it timed out' : 'it cannot be decoded');
  }
}

/** Each pixel is the mean of those that it covers. */
export function scaled(from: Pixels, width: number, height: number) {
  const data = new Uint8ClampedArray(width * height * 4);
  const channel = (at: number) => from.data[at] ?? 0;
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const left = Math.floor((x * from.width) / width);
    const top = Math.floor((y * from.height) / height);
    const right = Math.max(left + 1, Math.floor(((x + 1) * from.width) / width));
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * from.height) / height));
    let [red, green, blue, opacity] = [0, 0, 0, 0];
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) {
        const pixel = (row * from.width + column) * 4;
        const weight = channel(pixel + 3);
        red += channel(pixel) * weight;
        green += channel(pixel + 1) * weight;
        blue += channel(pixel + 2) * weight;
        opacity += weight;
      }
    }
    const mean = opacity / ((right - left) * (bottom - top));
    data.set([red / opacity, green / opacity, blue / opacity, mean], at * 4);
  }
  return { width, height, data };
}
