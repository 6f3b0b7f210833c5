/** Pieces of request schemas. What a message says follows the name of the field. */
import * as z from 'zod/mini';

interface Range {
  readonly min?: number;
  readonly max: number;
}

/**
 * A text whose length is counted in characters (code points, as JSON Schema counts them), so
 * that nothing is refused here that the service may take: an emoji is one character, not two.
 */
export function characters({ min = 0, max }: Range) {
  const length = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return z.string().check(
    z.refine(
      (text) => {
        // A character takes at most two units: longer texts need no counting.
        if (text.length > 2 * max) return false;
        const count = Array.from(text).length;
        return count >= min && count <= max;
      },
      { error: `must be ${length} characters long` },
    ),
    z.meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max }),
  );
}

/** A whole number in a query, where the wire has only text. */
export function queryInteger(range: { min?: number; max?: number; default?: number }) {
  const { min = 1, max = Number.MAX_SAFE_INTEGER } = range;
  const number = z.coerce.number<number | string>().check(z.int(), z.gte(min), z.lte(max));
  return range.default === undefined ? number : number.check(z.meta({ default: range.default }));
}

/** An https URL. Whether it is public, only the service can tell. */
export function httpsUrl() {
  return z.url({ protocol: /^https$/, error: 'must be an https URL' });
}
