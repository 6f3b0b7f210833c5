import { expect, it } from 'vitest';
import { termOf } from '../../../src/service/engines/terms.js';
import { snippetOf } from '../../../src/service/search/ranking.js';

const filler = 'lorem ipsum dolor sit amet '.repeat(40);

function termsOf(...words: string[]): Set<string> {
  return new Set(words.flatMap((word) => termOf(word) ?? []));
}

it('snippetOf finds a word with е or ё, in either form of it, and no й for и', () => {
  const text = `елка ${filler} мои ${filler} зелёная Ё\u0301лка и Е\u0308ж ${filler}`;
  expect(snippetOf(text, termsOf('зеленая', 'ёж'), 60)).toContain('Е\u0308ж');
  expect(snippetOf(text, termsOf('мой'), 30)).toBe(snippetOf(text, new Set(), 30));
});

it('snippetOf begins with the text where nothing was found in it', () => {
  expect(snippetOf(filler, new Set(['absent']), 30)).toBe('lorem ipsum dolor sit amet …');
});

it('snippetOf shows the place with the most different words that were looked for', () => {
  const text = `rose ${filler} rose rose rose ${filler} a rose needs clay ${filler}`;
  const snippet = snippetOf(text, termsOf('rose', 'clay'), 60);
  expect(snippet).toContain('rose needs clay');
  expect(snippet).toMatch(/^… .* …$/);
  expect(snippet.length).toBeLessThanOrEqual(60 + 4);
});

it('snippetOf cuts a text without spaces, but no pair of units', () => {
  for (const length of [10, 11]) {
    const snippet = snippetOf('🦊'.repeat(50), new Set(), length);
    expect(snippet).toBe(`${'🦊'.repeat(5)} …`);
  }
});
