/** local/upscale: larger pictures and videos. */
import * as z from 'zod/mini';
import { assertHolds } from '../../failure.js';
import { encodePng, readScaled } from './canvas.js';
import { defineModel, priceOf, priceOfSeconds, wholeKopecks, type Measured } from './define.js';
import { redraw } from './film.js';

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
    if (video) {
      const foreign = 'local/upscale enlarges videos of local/reel alone: it draws them again';
      assertHolds(video.hasRecipe, 422, 'source_unsupported', foreign);
      assertSide(video, factor, 3840);
    }
    const price = priceOfSeconds(rubPerVideoSecond[factor], video, 5, 'a video');
    return video ? { ...price, sourceSeconds: video.seconds } : price;
  },
  make: async ({ opts: { factor } }, { image, video }) => {
    if (video) return redraw(video.bytes, factor);
    assertHolds(image, 422, 'source_missing', 'local/upscale needs a picture or a video');
    const { width = 1, height = 1 } = image;
    const size = { width: width * factor, height: height * factor };
    const paint = await readScaled(image.bytes, size);
    const bytes = () => encodePng(size, paint, { Software: 'svc local/upscale' });
    const files = [{ mediaType: 'image/png', ext: 'png', bytes }];
    return { files, resultMeta: { ...size, factor, method: 'interpolated' } };
  },
});

function assertPicture(picture: Measured, factor: number): void {
  const { mediaType, width = 1, height = 1 } = picture;
  const foreign = `local/upscale enlarges PNG pictures alone, and the source is ${mediaType}`;
  assertHolds(mediaType === 'image/png', 422, 'source_unsupported', foreign);
  assertSide(picture, factor, 16_384);
  const message = `${width}x${height} is more than ${mostPngPixels} pixels`;
  assertHolds(width * height <= mostPngPixels, 422, 'source_too_large', message);
}

/** @param longest side of what comes out, in pixels */
function assertSide({ width = 1, height = 1 }: Measured, factor: number, longest: number): void {
  const message = `${factor} times ${width}x${height} is more than ${longest} pixels on a side`;
  assertHolds(Math.max(width, height) * factor <= longest, 422, 'source_too_large', message);
}
