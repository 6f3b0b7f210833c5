/** What stands behind the face: the picture that was given, or a landscape in its place. */
import { createHash } from 'node:crypto';
import { decodePng } from '../png/decode.js';
import type { Layer } from '../scene/layers.js';
import { landscape } from '../scene/scene.js';
import type { Source } from '../types.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Backdrop {
  readonly layers: readonly Layer[];
  /** Whether it is the picture that was given. */
  readonly isSource: boolean;
}

/** How much of a file decides what is drawn in its place. */
const hashedBytes = 64 * 1024;

/** A PNG is shown; of any other source a landscape is drawn, another for every file. */
export async function backdropOf({ bytes, measured }: Source, size: Size): Promise<Backdrop> {
  if (measured.mediaType === 'image/png') {
    const picture = await decodePng(bytes);
    return { layers: [pixels(await scaled(picture, size), size)], isSource: true };
  }
  const seed = createHash('sha256')
    .update(await bytes.read(0, hashedBytes))
    .digest('hex');
  const order = { prompt: '', seed, ...size };
  // What moves in it would only distract.
  const layers = landscape(order).filter(({ boxesAt }) => !boxesAt);
  return { layers, isSource: false };
}

/** The picture as RGB of a size, each pixel that of the source nearest to it. */
async function scaled(
  picture: Awaited<ReturnType<typeof decodePng>>,
  { width, height }: Size,
): Promise<Uint8Array> {
  const { channels } = picture;
  const rgb = new Uint8Array(width * height * 3);
  let from = 0;
  let y = 0;
  for await (const row of picture.rows()) {
    for (; y < height && sourceAt(y, picture.height, height) === from; y++) {
      for (let x = 0; x < width; x++) {
        const at = sourceAt(x, picture.width, width) * channels;
        // What is clear shows white.
        const alpha = channels === 4 ? (row[at + 3] ?? 255) / 255 : 1;
        for (let channel = 0; channel < 3; channel++) {
          rgb[(y * width + x) * 3 + channel] = (row[at + channel] ?? 0) * alpha + 255 * (1 - alpha);
        }
      }
    }
    from++;
  }
  return rgb;
}

function sourceAt(place: number, sourceSide: number, side: number): number {
  return Math.floor(((place + 0.5) * sourceSide) / side);
}

function pixels(rgb: Uint8Array, { width }: Size): Layer {
  return {
    paint: (row, { y, from, to }) => {
      row.set(rgb.subarray((y * width + from) * 3, (y * width + to) * 3));
    },
  };
}
