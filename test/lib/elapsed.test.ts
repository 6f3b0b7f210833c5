import { expect, it } from 'vitest';
import { formatAge, formatElapsed } from '../../src/lib/elapsed.js';

it.each([
  [-5, '0 s'],
  [0, '0 s'],
  [8400, '8 s'],
  [59_499, '59 s'],
  [59_500, '1:00'],
  [65_000, '1:05'],
  [3_599_000, '59:59'],
  [3_729_000, '1:02:09'],
])('%i ms are %s', (ms, words) => {
  expect(formatElapsed(ms)).toBe(words);
});

it.each([
  [-1, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [86_400_000 * 6.9, '6 d'],
])('%i ms ago is %s', (ms, words) => {
  expect(formatAge(ms)).toBe(words);
});
