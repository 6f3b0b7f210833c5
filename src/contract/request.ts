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
export function queryInteger({ min = 1, max }: { min?: number; max?: number }) {
  const number = z.coerce.number<number | string>();
  return max === undefined
    ? number.check(z.int(), z.gte(min))
    : number.check(z.int(), z.gte(min), z.lte(max));
}

/** An https URL. Whether it is public, only the service can tell. */
export function httpsUrl() {
  return z.url({ protocol: /^https$/, error: 'must be an https URL' });
}
