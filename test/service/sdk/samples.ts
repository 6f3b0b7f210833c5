/** What the tests of every package say and ask for. */
import * as z from 'zod';

export const text = 'Ünïcödé 🌍 and "quotes"\n\tin a few words, byte for byte';

export const Weather = z.strictObject({
  city: z.string(),
  unit: z.enum(['celsius', 'fahrenheit']),
  days: z.number().min(1).max(7),
});

export const Recipe = z.object({
  title: z.string(),
  minutes: z.int().min(5).max(600),
  course: z.enum(['starter', 'main', 'dessert']),
  vegan: z.boolean(),
  note: z.nullable(z.string()),
  steps: z.array(z.object({ text: z.string(), heat: z.union([z.number(), z.null()]) })).min(1),
});
