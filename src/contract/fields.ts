/** Parts of schemas: strict for requests, loose for replies. */
import * as z from 'zod/mini';

/** Length in code points, as in JSON Schema: an emoji is one, not two. */
export function characters({ min = 0, max }: { min?: number; max: number }) {
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

/** A whole number in a query, which has only text. */
export function queryInteger(range: { min?: number; max?: number; default?: number }) {
  const { min = 1, max = Number.MAX_SAFE_INTEGER } = range;
  const whole = z.coerce.number<number | string>().check(z.int(), z.gte(min), z.lte(max));
  return range.default === undefined ? whole : whole.check(z.meta({ default: range.default }));
}

/** An https URL. Whether it is public, only the service can tell. */
export function httpsUrl() {
  return z.url({ protocol: /^https$/, error: 'must be an https URL' });
}

export function maybe<Schema extends z.core.SomeType>(schema: Schema) {
  return z.optional(z.nullable(schema));
}

/** Fields of replies: absent or null as well. */
export const text = maybe(z.string());
export const number = maybe(z.number());
export const flag = maybe(z.boolean());

/** A known word or any other; absent or null as well. */
export function knownWord(words: readonly string[]) {
  return maybe(z.string().check(z.describe(`Known values: ${words.join(', ')}.`)));
}

/** A field that the specification does not show: any value passes. */
export function notShown() {
  return z.optional(z.unknown());
}

export const MediaError = z.looseObject({
  ok: flag,
  code: text,
  message: text,
  /** unknown_field: the first unknown top-level field. */
  field: text,
  /** unknown_field: every unknown top-level field. */
  fields: maybe(z.array(z.string())),
  /** payload_too_large: the largest accepted body, in bytes. */
  max_body_bytes: number,
});
