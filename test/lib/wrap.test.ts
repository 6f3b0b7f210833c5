import { expect, it } from 'vitest';
import { textWidth, wrapLines, wrapText } from '../../src/lib/wrap.js';

it.each([
  ['plain', 5],
  ['漢字', 4],
  ['🌍', 2],
  ['e\u0301', 1],
  // Pictures of several parts, flags, shades of skin, and signs that are pictures of old.
  ['👨‍👩‍👧', 2],
  ['🇳🇴🇷🇺', 4],
  ['❤️', 2],
  ['\u1112\u1161\u11ab', 2],
  ['ｱ', 1],
  ['ａ', 2],
  ['\ufeffa\u200bb', 2],
])('%s takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

it.each([
  ['', 10, []],
  ['one two three', 7, ['one two', 'three']],
  ['left 1\u00a0000\u00a0₽', 8, ['left', '1\u00a0000\u00a0₽']],
  ['  one\n\ttwo  ', 20, ['one two']],
  ['abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
  ['漢字漢字', 5, ['漢字', '漢字']],
  ['a longestword', 4, ['a', 'long', 'estw', 'ord']],
])('%j in %i columns is %j', (text, columns, lines) => {
  expect(wrapText(text, columns)).toEqual(lines);
});

it.each([
  ['', 10, ['']],
  ['one\n\n  two  three', 20, ['one', '', '  two  three']],
  ['one two three', 7, ['one two', 'three']],
  ['left 1\u00a0000\u00a0₽', 8, ['left', '1\u00a0000\u00a0₽']],
  ['one    two', 5, ['one', 'two']],
  ['abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
  ['a\tb', 20, ['a       b']],
  ['漢字漢字', 5, ['漢字', '漢字']],
  ['x 👨‍👩‍👧👨‍👩‍👧', 4, ['x', '👨‍👩‍👧👨‍👩‍👧']],
  ['👨‍👩‍👧👨‍👩‍👧', 3, ['👨‍👩‍👧', '👨‍👩‍👧']],
  ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
])('the lines of %j in %i columns are %j', (text, columns, lines) => {
  expect(wrapLines(text, columns)).toEqual(lines);
});

it('loses no letter, and makes no line too wide, wherever it breaks', () => {
  const text = 'Ответ: 漢字漢字漢字 and 👨‍👩‍👧 e\u0301te\u0301 in\tone-very-long-word.\n  Next';
  const ink = text.replace(/\s/g, '');
  for (let columns = 2; columns < 40; columns += 1) {
    const lines = wrapLines(text, columns);
    expect(lines.join('').replace(/\s/g, '')).toBe(ink);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
  }
});
