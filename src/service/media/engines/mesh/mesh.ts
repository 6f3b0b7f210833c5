/** local/mesh: solid things. */
import * as z from 'zod/mini';
import { defineModel, seedOption } from '../define.js';

const details = ['low', 'medium', 'high'] as const;
export type Detail = (typeof details)[number];

const rubPerModel: Readonly<Record<Detail, number>> = { low: 3, medium: 6, high: 12 };

const opts = {
  detail: z._default(
    z.enum(details).check(z.describe('How many triangles; sets the price')),
    'medium',
  ),
  ...seedOption,
};

export type MeshOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const mesh = defineModel({
  id: 'local/mesh',
  kind: '3d',
  title: 'Mesh',
  summary: 'Turns a colored piece on a lathe, from the words of a prompt, as GLB',
  prompt: 'required',
  opts,
  fromRub: rubPerModel.low,
  priceAxes: ['detail'],
  defaultTookMs: 8000,
  price: ({ opts }) => ({
    priceRub: rubPerModel[opts.detail],
    isEstimate: false,
    breakdown: { perModelRub: rubPerModel[opts.detail] },
  }),
  make: async (order, input) => (await import('./turn.js')).turn(order, input),
});
