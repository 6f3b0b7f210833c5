import { expect, it } from 'vitest';
import { textWidth, wrapText } from '../../src/lib/wrap.js';

it.each([
  ['plain', 5],
  ['привет', 6],
  ['漢字', 4],
  ['🌍', 2],
  ['e\u0301', 1],
])('%s takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

it.each([
  ['', 10, []],
  ['one two three', 7, ['one two', 'three']],
  ['  one\n\ttwo  ', 20, ['one two']],
  ['abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
  ['漢字漢字', 5, ['漢字', '漢字']],
  ['a longestword', 4, ['a', 'long', 'estw', 'ord']],
])('%j in %i columns is %j', (text, columns, lines) => {
  expect(wrapText(text, columns)).toEqual(lines);
});
