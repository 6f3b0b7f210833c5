/**
 * Requests at each limit and one past it. The figures here are those of the document, never those
 * of limits.ts.
 */
import type * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';

type Fields = Readonly<Record<string, unknown>>;
/** For each field, the values that replace the one of the base; undefined leaves it out. */
type Values = Readonly<Record<string, readonly unknown[]>>;

interface Case {
  readonly schema: z.ZodMiniType;
  /** A request that is accepted as it stands. */
  readonly base: Fields;
  readonly takes?: Values;
  readonly refuses?: Values;
  /** The same with several fields at once. */
  readonly takesAlso?: readonly Fields[];
  readonly refusesAlso?: readonly Fields[];
}

export const letters = (count: number) => 'a'.repeat(count);
export const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `id-${index}`);
/** The numbers of a page, at their limits. */
export const list = { page: [1, '2'], limit: [1, 100, '100'] };
export const link = 'https://files.example/voice.wav';

/** Long texts and lists by their length, so that a failure stays readable. */
const shown = (fields: Fields) =>
  JSON.stringify(fields, (_, value: unknown) => {
    if (value === undefined) return 'left out';
    if (Array.isArray(value) && value.length > 3) return `${value.length} items`;
    return typeof value === 'string' && value.length > 60 ? `${value.length} long` : value;
  });

/** Two tests for each request. */
export function requests(cases: Readonly<Record<string, Case>>): void {
  describe.each(Object.entries(cases))('%s', (_, { schema, base, ...variations }) => {
    const accepts = (fields: Fields) => {
      const given = Object.entries({ ...base, ...fields }).filter(
        ([, value]) => value !== undefined,
      );
      return schema.safeParse(Object.fromEntries(given)).success;
    };
    const each = (values: Values = {}, also: readonly Fields[] = []): Fields[] => [
      ...Object.entries(values).flatMap(([name, all]) => all.map((value) => ({ [name]: value }))),
      ...also,
    ];

    it('takes the smallest request, and each field up to its limit', () => {
      const refused = each(variations.takes, variations.takesAlso).filter((one) => !accepts(one));
      expect([accepts({}), refused.map(shown)]).toEqual([true, []]);
    });

    it('refuses each field past its limit', () => {
      const accepted = each(variations.refuses, variations.refusesAlso).filter(accepts);
      expect(accepted.map(shown)).toEqual([]);
    });
  });
}
