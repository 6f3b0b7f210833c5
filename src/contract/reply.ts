/**
 * Pieces of reply schemas. Replies are loose: a field may be absent or null, and a word that
 * is not known today passes, so that a new value of the service never breaks a listing.
 */
import * as z from 'zod/mini';

/** A field that may be absent or null. */
export function maybe<Schema extends z.core.SomeType>(schema: Schema) {
  return z.optional(z.nullable(schema));
}

/** One of the words known today, or any other; absent or null as well. */
export function knownWord(words: readonly string[]) {
  return maybe(z.string().check(z.describe(`Known values: ${words.join(', ')}.`)));
}

/** A field that the specification does not show: whatever comes is passed on. */
export function notShown() {
  return z.optional(z.unknown());
}
