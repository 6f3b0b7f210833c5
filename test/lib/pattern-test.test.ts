import { describe, expect, it } from 'vitest';
import { fitsPattern, TimeLimitError } from '../../src/lib/time-limit.js';

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
