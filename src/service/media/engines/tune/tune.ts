/** local/tune: music. */
import * as z from 'zod/mini';
import { defineModel, seedOption } from '../define.js';
import { wholeKopecks } from '../money.js';

const rubPerSecond = 0.2;
const seconds = { min: 1, max: 180, default: 15 };

const opts = {
  seconds: z._default(
    z.number().check(z.gte(seconds.min), z.lte(seconds.max), z.describe('Length; sets the price')),
    seconds.default,
  ),
  tempo: z.optional(
    z.int().check(z.gte(50), z.lte(200), z.describe('Beats a minute; else the prompt decides')),
  ),
  ...seedOption,
};

export type TuneOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const tune = defineModel({
  id: 'local/tune',
  kind: 'music',
  title: 'Tune',
  summary: 'Plucks a melody over a bass, made from the words of a prompt',
  prompt: 'required',
  opts,
  fromRub: wholeKopecks(rubPerSecond * seconds.min),
  priceAxes: ['seconds'],
  defaultTookMs: 6000,
  price: ({ opts }) => ({
    priceRub: wholeKopecks(rubPerSecond * opts.seconds),
    isEstimate: false,
    breakdown: { rubPerSecond, seconds: opts.seconds },
  }),
  make: async (order, input) => (await import('./play.js')).play(order, input),
});
