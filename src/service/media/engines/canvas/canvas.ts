/** local/canvas: pictures. */
import * as z from 'zod/mini';
import { imageSizes } from '../../../../contract/enums.js';
import { defineModel, seedOption, type Ordered } from '../define.js';
import { wholeKopecks } from '../money.js';
import type { Price } from '../types.js';
import { ratioOf, ratios, sizesByRatio, type Ratio, type Size } from './sizes.js';

export const qualities = ['draft', 'standard', 'high'] as const;
export type Quality = (typeof qualities)[number];

/** For a picture of up to `plainPixels`; larger ones cost half as much again. */
const rubPerPicture: Readonly<Record<Quality, number>> = { draft: 0.6, standard: 2.4, high: 7.2 };
const plainPixels = 1_400_000;
const largeFactor = 1.5;
const mostPictures = 4;

const opts = {
  size: z.optional(
    z
      .enum(imageSizes)
      .check(z.describe('Pixels, width by height; auto is 1024x1024. Not with aspect_ratio')),
  ),
  aspect_ratio: z.optional(
    z.enum(ratios).check(z.describe('Width to height; the size follows from it. Not with size')),
  ),
  quality: z._default(
    z.enum(qualities).check(z.describe('How finely it is drawn; sets the price')),
    'standard',
  ),
  n: z._default(
    z.int().check(z.gte(1), z.lte(mostPictures), z.describe('How many pictures, each another')),
    1,
  ),
  ...seedOption,
};

export type CanvasOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const canvas = defineModel({
  id: 'local/canvas',
  kind: 'image',
  title: 'Canvas',
  summary: 'Paints a landscape from the words of a prompt',
  prompt: 'required',
  opts,
  either: ['size', 'aspect_ratio'],
  fromRub: rubPerPicture.draft,
  priceAxes: ['quality', 'size', 'aspect_ratio', 'n'],
  defaultTookMs: 4000,
  price,
  make: async (order, input) => (await import('./draw.js')).draw(order, input),
});

/** The pixels of the pictures that these options ask for. */
export function pictureSize({ size = 'auto', aspect_ratio: asked }: CanvasOpts): Size {
  const ratio = asked ?? (size === 'auto' ? '1:1' : ratioOf(size));
  return sizesByRatio[ratio ?? '1:1'];
}

function price({ opts }: Ordered<CanvasOpts>): Price {
  const { width, height } = pictureSize(opts);
  const sizeFactor = width * height > plainPixels ? largeFactor : 1;
  const perImageRub = rubPerPicture[opts.quality];
  return {
    priceRub: wholeKopecks(perImageRub * sizeFactor * opts.n),
    isEstimate: false,
    breakdown: { perImageRub, sizeFactor, images: opts.n },
  };
}

/** What an image made while the caller waits asks for (section 2.12). */
export interface ImageOptions {
  readonly size?: string;
  readonly quality?: string;
}

/**
 * The options of local/canvas for a synchronous image, or the field that it does not offer.
 * `auto` leaves the choice to the model.
 */
export function canvasOptions({
  size = 'auto',
  quality = 'auto',
}: ImageOptions):
  { readonly opts: Readonly<Record<string, string>> } | { readonly refused: keyof ImageOptions } {
  const ratio: Ratio | undefined = size === 'auto' ? '1:1' : ratioOf(size);
  if (!ratio) return { refused: 'size' };
  if (quality === 'auto') return { opts: { aspect_ratio: ratio } };
  if (!qualities.some((one) => one === quality)) return { refused: 'quality' };
  return { opts: { aspect_ratio: ratio, quality } };
}
