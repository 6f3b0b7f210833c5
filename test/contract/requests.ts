/**
 * Requests at each limit and one past it. The figures in the tests are those of the document,
 * never those of limits.ts.
 */
import type * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';

type Fields = Readonly<Record<string, unknown>>;

interface Case {
  readonly schema: z.ZodMiniType;
  /** A request that is accepted as it stands. */
  readonly base: Fields;
  /** Fields that replace those of the base; undefined leaves one out. */
  readonly accepted: readonly Fields[];
  readonly refused: readonly Fields[];
}

export const letters = (count: number) => 'a'.repeat(count);
export const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `id-${index}`);

/** A test for each variation of each request, named by what it varies. */
export function requests(cases: Readonly<Record<string, Case>>): void {
  describe.each(Object.entries(cases))('%s', (_, { schema, base, accepted, refused }) => {
    const accepts = (fields: Fields) => {
      const merged = Object.entries({ ...base, ...fields });
      const given = merged.filter(([, value]) => value !== undefined);
      return schema.safeParse(Object.fromEntries(given)).success;
    };

    test('take the smallest request', () => {
      expect(accepts({})).toBe(true);
    });

    test.each(accepted.map((fields) => [shown(fields), fields] as const))(
      'take %s',
      (__, fields) => {
        expect(accepts(fields)).toBe(true);
      },
    );

    test.each(refused.map((fields) => [shown(fields), fields] as const))(
      'refuse %s',
      (__, fields) => {
        expect(accepts(fields)).toBe(false);
      },
    );
  });
}

/** Long texts and lists by their length, so that a name stays readable. */
function shown(fields: Fields): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value === undefined) return 'left out';
    if (Array.isArray(value) && value.length > 3) return `${value.length} items`;
    return typeof value === 'string' && value.length > 60 ? `${value.length} long` : value;
  }).slice(0, 120);
}
