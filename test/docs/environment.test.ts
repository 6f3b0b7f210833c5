import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { variables } from '../../src/cli/topics.js';
import { pages, root } from './pages.js';

const documented = new Set(variables.map(([name]) => name));

/** Every SVC_… name in a text. */
function namesIn(text: string): string[] {
  return text.match(/\bSVC_[A-Z_]+\b/g) ?? [];
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'));

test('every variable of svc that the code reads is documented', () => {
  const read = new Set(
    sources.flatMap((source) =>
      Array.from(
        source.matchAll(/(?:env(?:\.|\[['"])|variable: ')(SVC_[A-Z_]+)/g),
        ([, name = '']) => name,
      ),
    ),
  );
  expect([...read].filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => name.startsWith('SVC_') && !read.has(name))).toEqual([]);
});

test('no text names a variable of svc that there is not', () => {
  const named = new Set([...pages.map(({ text }) => text), ...sources].flatMap(namesIn));
  expect([...named].filter((name) => !documented.has(name))).toEqual([]);
});
