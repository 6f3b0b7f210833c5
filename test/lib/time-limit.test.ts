import { describe, expect, it } from 'vitest';
import { fitsPattern, TimeLimitError, withinTime } from '../../src/lib/time-limit.js';

describe('withinTime', () => {
  it('gives the result of work that is done in time', () => {
    const made = { a: 1 };
    expect(withinTime(10_000, () => made)).toBe(made);
  });

  it('gives undefined when that is the result', () => {
    expect(withinTime<string | undefined>(10_000, () => undefined)).toBeUndefined();
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
    [
      'a loop that catches everything',
      () => {
        for (;;) {
          try {
            for (;;);
          } catch {
            // Nothing ever gets here.
          }
        }
      },
    ],
  ])('breaks off %s that has no end', (_, work) => {
    expect(() => withinTime(20, work)).toThrow(TimeLimitError);
  });

  it('limits work within work, and goes on with the outer one', () => {
    const outer = withinTime(10_000, () => {
      expect(() => withinTime(20, () => /^(a+)+$/.test('a'.repeat(60) + '!'))).toThrow(
        TimeLimitError,
      );
      return 'went on';
    });
    expect(outer).toBe('went on');
  });
});

const almostAll = 'a'.repeat(60) + '!';

describe('fitsPattern', () => {
  it.each([
    [/^a+$/, 'aaa', true],
    [/^a+$/, 'aab', false],
    [/^É$/iu, 'é', true],
    [/^(a+)+$/, 'aaaa', true],
  ])('says of %s and %j what test() says', (pattern, text, fits) => {
    expect(fitsPattern(pattern, text, 10_000)).toBe(fits);
  });

  it('gives an expression up that has no end, and goes on with the next one', () => {
    for (let i = 0; i < 2; i += 1) {
      expect(() => fitsPattern(/^(a+)+$/, almostAll, 20)).toThrow(TimeLimitError);
      expect(fitsPattern(/b$/, 'ab', 10_000)).toBe(true);
    }
  });

  it('gives an expression up that is too large to be tried', () => {
    expect(() => fitsPattern(/(((a?){999}){999}){999}/, 'aa', 10_000)).toThrow(TimeLimitError);
    expect(fitsPattern(/b$/, 'ab', 10_000)).toBe(true);
  });
});
