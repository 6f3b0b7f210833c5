/** local/upscale: larger pictures and videos. */
import * as z from 'zod/mini';
import { defineModel, priceOf, wholeKopecks } from './define.js';
import { redraw } from './film.js';
import type { Pixels } from './png.js';
import { MediaRefusal, type MeasuredImage, type MeasuredVideo, type Size } from './types.js';

const rubPerMegapixel = 0.5;
const rubPerVideoSecond = { 2: 1.5, 4: 4.5 } as const;
/** What is assumed of a source that was not measured. */
const assumed = { width: 1024, height: 1024, seconds: 5 };
/** The longest side of what comes out, in pixels. */
const longestSide = { image: 16_384, video: 3840 };
/** A picture is held whole, and decoded in one go: 0.2 s at most. */
export const mostPngPixels = 12_000_000;

export const upscale = defineModel({
  id: 'local/upscale',
  kind: 'video',
  title: 'Upscale',
  summary: 'Enlarges a PNG picture, or draws a video of local/reel again at a larger size',
  prompt: 'optional',
  slots: [{ kinds: ['image', 'video'], purpose: 'the PNG picture or local/reel video to enlarge' }],
  opts: {
    factor: z._default(
      z.literal([2, 4]).check(z.describe('How many times as wide and as high; sets the price')),
      2,
    ),
  },
  fromRub: wholeKopecks(rubPerMegapixel / 100),
  priceAxes: ['factor'],
  defaultTookMs: 10_000,
  price: ({ opts: { factor }, given }, { image, video }) => {
    if (given.includes('image')) {
      if (image?.kind === 'image') assertPicture(image, factor);
      const { width, height } = image?.kind === 'image' ? image : assumed;
      const megapixels = (width * height * factor ** 2) / 1_000_000;
      const instead = image ? undefined : `a picture of ${width}x${height} pixels`;
      return priceOf({ rubPerMegapixel, megapixels }, instead);
    }
    if (video?.kind === 'video') assertVideo(video, factor);
    const { seconds } = video?.kind === 'video' ? video : assumed;
    const instead = video ? undefined : `a video of ${seconds} seconds`;
    const price = priceOf({ rubPerSecond: rubPerVideoSecond[factor], seconds }, instead);
    return video ? { ...price, sourceSeconds: seconds } : price;
  },
  make: async ({ opts: { factor } }, { sources: { image, video } }) => {
    const software = 'svc local/upscale';
    if (video?.measured.kind === 'video') {
      assertVideo(video.measured, factor);
      return redraw(video.bytes, factor, software);
    }
    if (image?.measured.kind !== 'image') {
      throw new MediaRefusal('source_missing', 'local/upscale needs a picture or a video');
    }
    assertPicture(image.measured, factor);
    const { decodePng, encodePng } = await import('./png.js');
    const pixels = await decodePng(image.bytes);
    const size = { width: pixels.width * factor, height: pixels.height * factor };
    const rows = () => enlargedRows(pixels, factor);
    const bytes = () => encodePng({ ...size, channels: 4, rows }, { Software: software });
    const files = [{ mediaType: 'image/png', ext: 'png', bytes }];
    return { files, resultMeta: { ...size, factor, method: 'interpolated' } };
  },
});

/** @throws MediaRefusal when the picture cannot be enlarged so far, or not at all */
function assertPicture({ mediaType, width, height }: MeasuredImage, factor: number): void {
  if (mediaType !== 'image/png') {
    const message = `local/upscale enlarges PNG pictures alone, and the source is ${mediaType}`;
    throw new MediaRefusal('source_unsupported', message);
  }
  assertSide({ width, height }, factor, longestSide.image);
  if (width * height <= mostPngPixels) return;
  const message = `${width}x${height} is more than ${mostPngPixels} pixels`;
  throw new MediaRefusal('source_too_large', message);
}

/** @throws MediaRefusal when the video cannot be enlarged so far, or not at all */
function assertVideo(video: MeasuredVideo, factor: number): void {
  if (!video.hasRecipe) {
    const message = 'local/upscale enlarges videos of local/reel alone: it draws them again';
    throw new MediaRefusal('source_unsupported', message);
  }
  assertSide(video, factor, longestSide.video);
}

function assertSide({ width, height }: Size, factor: number, longest: number): void {
  if (Math.max(width, height) * factor <= longest) return;
  const message = `${factor} times ${width}x${height} is more than ${longest} pixels on a side`;
  throw new MediaRefusal('source_too_large', message);
}

/** Every pixel between four others is a mean of them, by how near they are. */
function* enlargedRows({ width, height, data }: Pixels, factor: number): Generator<Uint8Array> {
  const row = new Uint8Array(width * factor * 4);
  const columns = Array.from({ length: width * factor }, (_, x) => between(x, factor, width));
  for (let y = 0; y < height * factor; y++) {
    const down = between(y, factor, height);
    const [above, below] = [down.first * width, down.second * width];
    let at = 0;
    for (const { first, second, part } of columns) {
      for (let channel = 0; channel < 4; channel++) {
        const color = (pixel: number) => data[pixel * 4 + channel] ?? 0;
        const upper = color(above + first) * (1 - part) + color(above + second) * part;
        const lower = color(below + first) * (1 - part) + color(below + second) * part;
        row[at++] = upper * (1 - down.part) + lower * down.part + 0.5;
      }
    }
    yield row;
  }
}

/** The two pixels that a larger picture's pixel lies between, and how far it is to the second. */
function between(place: number, factor: number, length: number) {
  const exact = Math.max(0, (place + 0.5) / factor - 0.5);
  const first = Math.floor(exact);
  return { first, second: Math.min(length - 1, first + 1), part: exact - first };
}
