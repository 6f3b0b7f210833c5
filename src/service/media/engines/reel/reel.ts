/** local/reel: short videos. */
import * as z from 'zod/mini';
import { defineModel, seedOption } from '../define.js';
import { wholeKopecks } from '../money.js';

export const resolutions = ['480p', '720p', '1080p'] as const;
export type Resolution = (typeof resolutions)[number];

export const rubPerSecond: Readonly<Record<Resolution, number>> = {
  '480p': 1.2,
  '720p': 2.4,
  '1080p': 4.8,
};

const seconds = { min: 1, max: 60, default: 5 };

const opts = {
  seconds: z._default(
    z
      .number()
      .check(
        z.gte(seconds.min),
        z.lte(seconds.max),
        z.describe('Length, to the nearest of 24 frames a second; sets the price'),
      ),
    seconds.default,
  ),
  resolution: z._default(
    z.enum(resolutions).check(z.describe('The shorter side in pixels; sets the price')),
    '720p',
  ),
  aspect_ratio: z._default(
    z.enum(['16:9', '9:16', '1:1', '4:3']).check(z.describe('Width to height')),
    '16:9',
  ),
  ...seedOption,
};

export type ReelOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const reel = defineModel({
  id: 'local/reel',
  kind: 'video',
  title: 'Reel',
  summary: 'Films a slowly moving landscape from the words of a prompt, without sound',
  prompt: 'required',
  opts,
  fromRub: wholeKopecks(rubPerSecond['480p'] * seconds.min),
  priceAxes: ['seconds', 'resolution'],
  defaultTookMs: 15_000,
  price: ({ opts }) => ({
    priceRub: wholeKopecks(rubPerSecond[opts.resolution] * opts.seconds),
    isEstimate: false,
    breakdown: { rubPerSecond: rubPerSecond[opts.resolution], seconds: opts.seconds },
  }),
  make: async (order, input) => (await import('./make.js')).shoot(order, input),
});
