import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeSpans, root } from './pages.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const text = read('docs/architecture.md');
const designs = readdirSync(join(root, 'docs/design')).map((name) => `docs/design/${name}`);
const files = readdirSync(join(root, 'src'), { recursive: true }).map(String);
const lines = (page: string) => page.split('\n').length - 1;

/** The files of src that a part of a page names, in full or by their end. */
function filesIn(part: string): string[] {
  return codeSpans({ path: '', text: part }).filter((span) => /^[\w/-]+\.ts$/.test(span));
}

test.each(['docs/architecture.md', ...designs])('%s names only files that are there', (path) => {
  const missing = filesIn(read(path)).filter(
    (name) => !files.some((file) => file === name || file.endsWith(`/${name}`)),
  );
  expect(missing).toEqual([]);
  expect(lines(read(path))).toBeLessThanOrEqual(path.includes('design') ? 150 : 120);
});

test('the journeys pass as many files as the page says, and few', () => {
  const journeys = text.split('\n').filter((line) => /^\*\*A(n|) [^*]+\.\*\*/.test(line));
  const counts = journeys.map((journey) => new Set(filesIn(journey)).size);
  const stated = journeys.map((journey) => Number(/That is (\d+) files/.exec(journey)?.[1]));
  expect(stated).toEqual(counts);
  for (const [index, max] of [40, 45, 20].entries()) {
    expect(counts[index]).toBeLessThanOrEqual(max);
  }
});

test('the spine can be read in a day', () => {
  const [, spine = ''] = /\n## The spine\n([^]*)$/.exec(text) ?? [];
  const names = filesIn(spine);
  expect(names.length).toBeLessThanOrEqual(60);
  const total = names.reduce((sum, name) => sum + lines(read(`src/${name}`)), 0);
  expect(total).toBeLessThanOrEqual(7000);
});
