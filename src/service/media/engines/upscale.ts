/** local/upscale: larger pictures and videos. */
import * as z from 'zod/mini';
import { defineModel, priceOf, priceOfSeconds, wholeKopecks } from './define.js';
import { redraw } from './film.js';
import { MediaRefusal, type Measured, type Size } from './types.js';

const rubPerMegapixel = 0.5;
const rubPerVideoSecond = { 2: 1.5, 4: 4.5 } as const;
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
      if (image) assertPicture(image, factor);
      const { width = 1024, height = 1024 } = image ?? {};
      const megapixels = (width * height * factor ** 2) / 1_000_000;
      const instead = image ? undefined : `a picture of ${width}x${height} pixels`;
      return priceOf({ rubPerMegapixel, megapixels }, instead);
    }
    if (video) assertVideo(video, factor);
    const price = priceOfSeconds(rubPerVideoSecond[factor], video, 5, 'a video');
    return video ? { ...price, sourceSeconds: video.seconds } : price;
  },
  make: async ({ opts: { factor } }, { sources: { image, video } }) => {
    if (video) return redraw(video.bytes, factor);
    if (!image) {
      throw new MediaRefusal('source_missing', 'local/upscale needs a picture or a video');
    }
    const { encodePng, readScaled } = await import('./png.js');
    const { width = 1, height = 1 } = image;
    const size = { width: width * factor, height: height * factor };
    const paint = await readScaled(image.bytes, size);
    const bytes = () => encodePng(size, paint, { Software: 'svc local/upscale' });
    const files = [{ mediaType: 'image/png', ext: 'png', bytes }];
    return { files, resultMeta: { ...size, factor, method: 'interpolated' } };
  },
});

/** @throws MediaRefusal when the picture cannot be enlarged so far, or not at all */
function assertPicture({ mediaType, width = 1, height = 1 }: Measured, factor: number): void {
  if (mediaType !== 'image/png') {
    const message = `local/upscale enlarges PNG pictures alone, and the source is ${mediaType}`;
    throw new MediaRefusal('source_unsupported', message);
  }
  assertSide({ width, height }, factor, 16_384);
  if (width * height <= mostPngPixels) return;
  const message = `${width}x${height} is more than ${mostPngPixels} pixels`;
  throw new MediaRefusal('source_too_large', message);
}

/** @throws MediaRefusal when the video cannot be enlarged so far, or not at all */
function assertVideo(video: Measured, factor: number): void {
  if (!video.hasRecipe) {
    const message = 'local/upscale enlarges videos of local/reel alone: it draws them again';
    throw new MediaRefusal('source_unsupported', message);
  }
  assertSide(video, factor, 3840);
}

/** @param longest side of what comes out, in pixels */
function assertSide(
  { width = 1, height = 1 }: Partial<Size>,
  factor: number,
  longest: number,
): void {
  if (Math.max(width, height) * factor <= longest) return;
  const message = `${factor} times ${width}x${height} is more than ${longest} pixels on a side`;
  throw new MediaRefusal('source_too_large', message);
}
