import { describe, expect, it } from 'vitest';
import { countCharacters } from '../../../src/lib/text-pieces.js';
import { cutAt, pieces } from '../../../src/service/engines/plan.js';
import { seeded } from '../../helpers/random.js';

const family = '👨‍👩‍👧‍👦';
const zalgo = 'a' + '\u0301'.repeat(1000);
const awkward = [
  '',
  ' ',
  '\n',
  ' \t\r\n ',
  'a\0b',
  'x\r\ny',
  'héllo 🌍',
  `${family} ${family}`,
  '🇷🇺🇩🇪🇫🇷'.repeat(100),
  family.repeat(200),
  '\ud83c\udf0d'.repeat(500),
  ' '.repeat(1000) + 'x',
  '\r\n'.repeat(500),
  'x'.repeat(1000),
  zalgo,
  zalgo + family,
  'lone \ud83c half',
  '\udf0d first',
  'e \u0301 mark on a space',
  '\u200d joiner first',
  'नमस्ते दुनिया'.repeat(60),
];

function isBetweenCharacters(text: string, at: number): boolean {
  const starts = [...new Intl.Segmenter('en').segment(text)].map(({ index }) => index);
  return starts.includes(at) || at === text.length;
}

function splitsPair(text: string): boolean {
  return /^[\udc00-\udfff]/.test(text) || /[\ud800-\udbff]$/.test(text);
}

describe('pieces', () => {
  it.each(awkward)('joined are the text again: %j', (text) => {
    expect([...pieces(text)].join('')).toBe(text);
    for (const size of [1, 2, 7]) expect([...pieces(text, size)].join('')).toBe(text);
  });

  it('are never empty', () => {
    for (const text of awkward) expect([...pieces(text), ...pieces(text, 3)]).not.toContain('');
  });

  it('are words with the white space before them', () => {
    expect([...pieces('one  two\nthree \n')]).toEqual(['one', '  two', '\nthree', ' \n']);
  });

  it('never part a character that people see as one', () => {
    for (const text of awkward.filter((one) => one !== zalgo && one !== zalgo + family)) {
      let at = 0;
      for (const piece of pieces(text)) {
        at += piece.length;
        expect(isBetweenCharacters(text, at), JSON.stringify(text.slice(0, 40))).toBe(true);
      }
    }
  });

  it('never part a surrogate pair, even in a character longer than a piece may be', () => {
    const monster = 'a' + '\u200d🌍\u0301'.repeat(300);
    for (const text of [monster, ' ' + monster, zalgo + family]) {
      expect([...pieces(text)].join('')).toBe(text);
      expect([...pieces(text)].some(splitsPair)).toBe(false);
    }
  });

  it('are short, so that a long word streams too', () => {
    for (const text of awkward) {
      for (const piece of pieces(text)) expect(piece.length).toBeLessThanOrEqual(257);
    }
  });

  it('have as many characters as asked, the last one perhaps fewer', () => {
    expect([...pieces(`ab${family}cd`, 2)]).toEqual(['ab', `${family}c`, 'd']);
  });

  it('walk ten megabytes in passing', () => {
    const text = 'word '.repeat(2_000_000);
    const started = performance.now();
    let length = 0;
    for (const piece of pieces(text)) length += piece.length;
    expect(length).toBe(text.length);
    expect(performance.now() - started).toBeLessThan(8000);
  });
});

describe('cutAt', () => {
  it('counts characters, not UTF-16 units', () => {
    expect(cutAt('🌍🌍🌍', 2)).toBe('🌍🌍');
    expect(cutAt('abc', 3)).toBe('abc');
    expect(cutAt('abc', 0)).toBe('');
    expect(cutAt('abc', Infinity)).toBe('abc');
  });

  it('leaves out a character that does not fit whole', () => {
    expect(cutAt(`a${family}b`, 4)).toBe('a');
    expect(cutAt('x\r\ny', 2)).toBe('x');
  });

  it('gives a start of the text within the limit, whatever the text', () => {
    const random = seeded(7);
    const letters = [
      'a',
      ' ',
      '🌍',
      '\u0301',
      '\u200d',
      '\r',
      '\n',
      '\ud83c',
      'ж',
      family,
    ] as const;
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from({ length: random.below(300) }, () => random.pick(letters)).join('');
      const max = random.below(200);
      const start = cutAt(text, max);
      expect(text.startsWith(start)).toBe(true);
      expect(countCharacters(start)).toBeLessThanOrEqual(max);
      // A pair is never parted, not even by the limit.
      const rest = text.slice(start.length);
      if (rest !== '')
        expect(/^[\udc00-\udfff]/.test(rest) && /[\ud800-\udbff]$/.test(start)).toBe(false);
    }
  });
});
