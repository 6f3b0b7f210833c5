/** Pictures as brightness and color, in blocks of 16 × 16 pixels. */
import type { Grid } from './parameters.js';

/** One component of a picture. */
export interface Plane {
  readonly samples: Uint8Array;
  readonly stride: number;
}

/** Brightness, and two color components of half the size. */
export interface Planes {
  readonly luma: Plane;
  readonly blue: Plane;
  readonly red: Plane;
}

export function makePlanes({ columns, rows }: Grid): Planes {
  const plane = (side: number) => ({
    samples: new Uint8Array(columns * rows * side * side),
    stride: columns * side,
  });
  return { luma: plane(16), blue: plane(8), red: plane(8) };
}

/** The samples of one macroblock. */
export interface Samples {
  readonly luma: Uint8Array;
  readonly blue: Uint8Array;
  readonly red: Uint8Array;
}

export function makeSamples(): Samples {
  return { luma: new Uint8Array(256), blue: new Uint8Array(64), red: new Uint8Array(64) };
}

/**
 * Takes a macroblock out of RGB pixels (BT.709, limited range).
 * @param rgb 16 rows of `stride` bytes
 * @param from the byte of the block's first pixel in the first row
 */
export function takeSamples(rgb: Uint8Array, stride: number, from: number, into: Samples): void {
  for (let y = 0; y < 16; y += 2) {
    for (let x = 0; x < 16; x += 2) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let part = 0; part < 4; part++) {
        const dx = part & 1;
        const dy = part >> 1;
        const at = from + (y + dy) * stride + (x + dx) * 3;
        const r = rgb[at] ?? 0;
        const g = rgb[at + 1] ?? 0;
        const b = rgb[at + 2] ?? 0;
        into.luma[(y + dy) * 16 + x + dx] = 16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b;
        red += r;
        green += g;
        blue += b;
      }
      const at = (y >> 1) * 8 + (x >> 1);
      into.blue[at] = 128.5 + (-0.10064 * red - 0.33857 * green + 0.43922 * blue) / 4;
      into.red[at] = 128.5 + (0.43922 * red - 0.39894 * green - 0.04027 * blue) / 4;
    }
  }
}
