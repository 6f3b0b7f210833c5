import { expect, test } from 'vitest';
import { SurrogateJoiner } from '../../src/lib/growing.js';
import { seeded } from '../helpers/random.js';

/** What a joiner gives for pieces, and what is left at the end. */
function joined(pieces: readonly string[]): { given: string[]; left: string } {
  const joiner = new SurrogateJoiner();
  return { given: pieces.map((piece) => joiner.push(piece)), left: joiner.end() };
}

test.each<[string, string[], string[], string]>([
  ['text without halves passes', ['a', '', 'é🌍'], ['a', '', 'é🌍'], ''],
  ['halves are joined', ['a\ud83c', '\udf0db'], ['a', '🌍b'], ''],
  ['a half waits through empty pieces', ['\ud83c', '', '\udf0d'], ['', '', '🌍'], ''],
  ['several are joined', ['\ud83c', '\udf0d\ud83c', '\udf0d'], ['', '🌍', '🌍'], ''],
  ['a half without its other goes on', ['\ud83c', 'a'], ['', '\ud83ca'], ''],
  ['a second half alone passes', ['\udf0d', 'a'], ['\udf0d', 'a'], ''],
  ['a first half waits behind another', ['\ud83c', '\ud83c'], ['', '\ud83c'], '\ud83c'],
  ['a half is left at the end', ['a\ud83c'], ['a'], '\ud83c'],
])('%s', (_, pieces, given, left) => {
  expect(joined(pieces)).toEqual({ given, left });
});

test('the end leaves nothing behind', () => {
  const joiner = new SurrogateJoiner();
  joiner.push('\ud83c');
  expect([joiner.end(), joiner.end(), joiner.push('a')]).toEqual(['\ud83c', '', 'a']);
});

test('text cut anywhere comes out whole, and no piece of it ends in half a character', () => {
  const text = 'aé🌍日👩‍👩‍👧\ud83cx\udf0d🤔🤔'.repeat(20);
  for (let seed = 1; seed <= 50; seed++) {
    const random = seeded(seed);
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = at + random.below(4);
      pieces.push(text.slice(at, end));
      at = end;
    }
    const { given, left } = joined(pieces);
    expect(given.join('') + left).toBe(text);
    for (const piece of given) expect(piece).not.toMatch(/[\ud800-\udbff]$/);
  }
});
