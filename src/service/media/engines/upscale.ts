/** local/upscale: enlarges images and videos. */
import * as z from 'zod/mini';
import { assertHolds } from '../../failure.js';
import { encodePng, readScaled } from './canvas.js';
import { defineModel } from './define.js';
import { priceOf, priceOfSeconds, wholeKopecks } from './model.js';
import { redraw } from './film.js';

const rubPerMegapixel = 0.5;
const factorText = 'Enlargement factor of each side; sets the price';
const rubPerVideoSecond = { 2: 1.5, 4: 4.5 } as const;
/** An image is decoded in memory in one step: 0.2 s at most. */
export const maxPngPixels = 12_000_000;

export const upscale = defineModel({
  id: 'local/upscale',
  kind: 'video',
  summary: 'Enlarges a PNG image, or redraws a local/reel video at a larger size',
  slots: [{ kinds: ['image', 'video'], purpose: 'the PNG image or local/reel video to enlarge' }],
  opts: { factor: z._default(z.literal([2, 4]).check(z.describe(factorText)), 2) },
  fromRub: wholeKopecks(rubPerMegapixel / 100),
  priceAxes: ['factor'],
  defaultTookMs: 10_000,
  price: ({ opts: { factor }, kinds }, { image, video }) => {
    const isPicture = kinds.includes('image');
    const source = image ?? video;
    const { width = 1024, height = 1024 } = source ?? {};
    if (source) {
      const foreign = isPicture
        ? `local/upscale only enlarges PNG images; the source is ${source.mediaType}`
        : 'local/upscale only enlarges videos made by local/reel';
      const isKnown = source.mediaType === 'image/png' || source.hasRecipe;
      assertHolds(isKnown, 422, 'source_unsupported', foreign);
      const longest = isPicture ? 16_384 : 3840;
      const long = `${factor} times ${width}x${height} is more than ${longest} pixels on a side`;
      assertHolds(Math.max(width, height) * factor <= longest, 422, 'source_too_large', long);
      const large = `${width}x${height} is more than ${maxPngPixels} pixels`;
      const fits = !isPicture || width * height <= maxPngPixels;
      assertHolds(fits, 422, 'source_too_large', large);
    }
    if (isPicture) {
      const megapixels = (width * height * factor ** 2) / 1_000_000;
      const assumed = source ? undefined : `a picture of ${width}x${height} pixels`;
      return priceOf({ rubPerMegapixel, megapixels }, assumed);
    }
    const assumed = { seconds: 5, noun: 'a video' };
    return priceOfSeconds(rubPerVideoSecond[factor], video, assumed, 'sourceSeconds');
  },
  make: async ({ opts: { factor } }, { image, video }) => {
    if (video) return redraw(video.bytes, factor);
    assertHolds(image, 422, 'source_missing', 'local/upscale needs an image or a video');
    const { width = 1, height = 1 } = image;
    const size = { width: width * factor, height: height * factor };
    const paint = await readScaled(image.bytes, size);
    const bytes = () => encodePng(size, paint, { Software: 'svc local/upscale' });
    const files = [{ mediaType: 'image/png', ext: 'png', bytes }];
    return { files, resultMeta: { ...size, factor, method: 'interpolated' } };
  },
});
