import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, root, russianPages } from './pages.js';

const fence = /^(`{3,})(\w*)\n([^]*?)\n\1$/gm;

/** The English page of a Russian one. */
function sourceOf(path: string): { path: string; text: string } {
  const source = path.replace('/ru/', '/').replace('.ru.md', '.md');
  return { path: source, text: readFileSync(join(root, source), 'utf8') };
}

/** `## ` for each heading of the second level, and so on. */
function levels(text: string): string[] {
  return text.replace(fence, '').match(/^#+ /gm) ?? [];
}

/** The blocks of code without what is said in them: quoted texts, and comments. */
function blocks(text: string): string[] {
  return Array.from(text.matchAll(fence), ([, , language = '', code = '']) => {
    return `${language}\n${code.replace(/"[^"]*"|'[^']*'|#.*/g, '…')}`;
  });
}

/** What a block is in English, where words in Russian letters may be any words. */
function pattern(block: string): RegExp {
  const parts = block.split(/[а-яё]+(?:[ ,]+[а-яё]+)*\??/i);
  return new RegExp(
    `^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`,
  );
}

test('each page of the manual, and the README, has its Russian page', () => {
  const english = [
    'README.md',
    ...readdirSync(join(root, 'docs/manual')).map((name) => `docs/manual/${name}`),
  ];
  const expected = english.filter((path) => path.endsWith('.md')).sort();
  expect(russianPages.map(({ path }) => sourceOf(path).path).sort()).toEqual(expected);
  expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(expected));
});

test.each(russianPages)('$path has the headings and the code of its source', ({ path, text }) => {
  const source = sourceOf(path);
  expect(levels(text)).toEqual(levels(source.text));
  const code = blocks(source.text);
  expect(blocks(text)).toHaveLength(code.length);
  for (const [i, block] of blocks(text).entries()) expect(code[i]).toMatch(pattern(block));
});

test.each(russianPages)('$path is not older than its source', ({ path, text }) => {
  const source = sourceOf(path);
  const sum = createHash('sha256').update(source.text).digest('hex').slice(0, 16);
  const [mark] = text.split('\n');
  // After the translation has followed the source: node scripts/translate-mark.mjs PAGE
  expect(mark).toBe(`<!-- source: ${source.path} sha256:${sum} -->`);
});
