/** local/upscale: larger pictures and videos. */
import * as z from 'zod/mini';
import { defineModel, type Ordered } from '../define.js';
import type { MeasuredImage, MeasuredVideo } from '../measure/types.js';
import { estimate, wholeKopecks } from '../money.js';
import { MediaRefusal } from '../refusal.js';
import type { MeasuredSources, Price } from '../types.js';

const rubPerMegapixel = 0.5;
const rubPerVideoSecond = { 2: 1.5, 4: 4.5 } as const;
/** What is assumed of a source that was not measured. */
const assumed = { width: 1024, height: 1024, seconds: 5 };
/** The longest side of what comes out, in pixels. */
const longestSide = { image: 16_384, video: 3840 };

const opts = {
  factor: z._default(
    z.literal([2, 4]).check(z.describe('How many times as wide and as high; sets the price')),
    2,
  ),
};

export type UpscaleOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const upscale = defineModel({
  id: 'local/upscale',
  kind: 'video',
  title: 'Upscale',
  summary: 'Enlarges a PNG picture, or draws a video of local/reel again at a larger size',
  prompt: 'optional',
  slots: [{ kinds: ['image', 'video'], purpose: 'the PNG picture or local/reel video to enlarge' }],
  opts,
  fromRub: wholeKopecks(rubPerMegapixel / 100),
  priceAxes: ['factor'],
  defaultTookMs: 10_000,
  price,
  make: async (order, input) => (await import('./enlarge.js')).enlarge(order, input),
});

function price({ opts, given }: Ordered<UpscaleOpts>, { image, video }: MeasuredSources): Price {
  const { factor } = opts;
  if (given.includes('image')) {
    if (image?.kind === 'image') demandPicture(image, factor);
    const { width, height } = image?.kind === 'image' ? image : assumed;
    const megapixels = (width * height * factor ** 2) / 1_000_000;
    return {
      priceRub: wholeKopecks(rubPerMegapixel * megapixels),
      ...estimate(image, `a picture of ${assumed.width}x${assumed.height} pixels`),
      breakdown: { rubPerMegapixel, megapixels },
    };
  }
  if (video?.kind === 'video') demandVideo(video, factor);
  const seconds = video?.kind === 'video' ? video.seconds : assumed.seconds;
  const rubPerSecond = rubPerVideoSecond[factor];
  return {
    priceRub: wholeKopecks(rubPerSecond * seconds),
    ...estimate(video, `a video of ${assumed.seconds} seconds`),
    breakdown: { rubPerSecond, seconds },
    ...(video ? { sourceSeconds: seconds } : {}),
  };
}

/** @throws MediaRefusal when the picture cannot be enlarged so far, or not at all */
export function demandPicture(image: MeasuredImage, factor: number): MeasuredImage {
  if (image.mediaType !== 'image/png') {
    throw new MediaRefusal(
      'source_unsupported',
      `local/upscale enlarges PNG pictures alone, and the source is ${image.mediaType}`,
    );
  }
  demandSide(image, factor, longestSide.image);
  return image;
}

/** @throws MediaRefusal when the video cannot be enlarged so far, or not at all */
export function demandVideo(video: MeasuredVideo, factor: number): MeasuredVideo {
  if (!video.hasRecipe) {
    throw new MediaRefusal(
      'source_unsupported',
      'local/upscale enlarges videos of local/reel alone: it draws them again',
    );
  }
  demandSide(video, factor, longestSide.video);
  return video;
}

function demandSide(
  { width, height }: { width: number; height: number },
  factor: number,
  longest: number,
): void {
  if (Math.max(width, height) * factor <= longest) return;
  throw new MediaRefusal(
    'source_too_large',
    `${factor} times ${width}x${height} is more than ${longest} pixels on a side`,
  );
}
