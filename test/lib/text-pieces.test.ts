import { describe, expect, it } from 'vitest';
import { countCharacters, textPieces, textShares } from '../../src/lib/text-pieces.js';
import { seeded } from '../helpers/random.js';

describe('a text in pieces', () => {
  it('is left whole when it fits', () => {
    expect(textPieces('hello', 5)).toEqual(['hello']);
    expect(textPieces('', 5)).toEqual([]);
  });

  it.each<[what: string, text: string, max: number, pieces: string[]]>([
    ['a paragraph, before a later sentence', 'A b.\n\nC d. E f.', 13, ['A b.\n\n', 'C d. E f.']],
    ['a sentence, before a later line', 'A b. C d\ne f', 10, ['A b. ', 'C d\ne f']],
    ['a sentence that no space follows', '今日は。明日は。', 5, ['今日は。', '明日は。']],
    ['a line, before a later word', 'a b\nc d e', 7, ['a b\n', 'c d e']],
    ['a word', 'aaa bbb ccc', 6, ['aaa ', 'bbb ', 'ccc']],
    ['anywhere when there is nothing else', 'aaaaaaa', 3, ['aaa', 'aaa', 'a']],
    ['no half of a character', '😀😀😀', 2, ['😀😀', '😀']],
    ['no letter without its mark', 'aae\u0301aa', 3, ['aa', 'e\u0301a', 'a']],
  ])('ends with %s', (_, text, max, pieces) => {
    expect(textPieces(text, max)).toEqual(pieces);
  });

  it('counts characters, as the limit does', () => {
    expect(countCharacters('a😀é')).toBe(3);
    expect(textPieces('😀'.repeat(10_000), 10_000)).toHaveLength(1);
    expect(textPieces('😀'.repeat(10_001), 10_000)).toHaveLength(2);
  });

  it('is the text again, in pieces that are short enough and say something', () => {
    const random = seeded(5);
    const letters = 'a|b| | |.|!|\n|\n\n|😀|é|e\u0301|。|”|\t'.split('|');
    for (let round = 0; round < 300; round += 1) {
      const length = random.below(200);
      const text = Array.from({ length }, () => letters[random.below(letters.length)]).join('');
      const max = 1 + random.below(30);
      const pieces = textPieces(text, max);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(Array.from(piece).length).toBeLessThanOrEqual(max);
      for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
    }
  });

  it('cuts an endless text quickly', () => {
    for (const unit of ['!', ')', '\n \n', ' ', '.) ', '"']) {
      const text = unit.repeat(300_000 / unit.length);
      expect(textPieces(text, 10_000).join('')).toBe(text);
    }
  }, 5000);
});

it.each<[what: string, text: string, ends: number[], shares: string[]]>([
  ['between words', 'one two three', [0.5, 1], ['one ', 'two three']],
  ['inside of a word when there is but one', 'abcdef', [0.5, 1], ['abc', 'def']],
  ['never inside of a character', '😀😀😀', [0.5, 1], ['😀', '😀😀']],
  ['with nothing for a part that is too short', 'one two', [0.01, 0.02, 1], ['', '', 'one two']],
])('a text in shares is cut %s', (_, text, ends, shares) => {
  expect(textShares(text, ends)).toEqual(shares);
  expect(shares.join('')).toBe(text);
});
