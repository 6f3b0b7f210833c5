import { describe, expect, it } from 'vitest';
import { TimeLimitError, withinTime } from '../../src/lib/time-limit.js';

describe('withinTime', () => {
  it('gives the result of work that is done in time', () => {
    const made = { a: 1 };
    expect(withinTime(10_000, () => made)).toBe(made);
  });

  it('passes on what the work throws', () => {
    const thrown = new RangeError('mine');
    expect(() =>
      withinTime(10_000, () => {
        throw thrown;
      }),
    ).toThrow(thrown);
  });

  it.each<[string, () => unknown]>([
    [
      'a loop',
      () => {
        for (;;);
      },
    ],
    ['a regular expression', () => /^(a+)+$/.test('a'.repeat(60) + '!')],
  ])('breaks off %s that has no end', (_, work) => {
    expect(() => withinTime(20, work)).toThrow(TimeLimitError);
  });

  it('limits nested work, and resumes the outer work', () => {
    const outer = withinTime(10_000, () => {
      expect(() => withinTime(20, () => /^(a+)+$/.test('a'.repeat(60) + '!'))).toThrow(
        TimeLimitError,
      );
      return 'went on';
    });
    expect(outer).toBe('went on');
  });
});
