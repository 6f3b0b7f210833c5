import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeSpans, root } from './pages.js';

const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const files = readdirSync(join(root, 'src'), { recursive: true }).map(String);

/** The files of src that a part of the page names, in full or by their end. */
function filesIn(part: string): string[] {
  return codeSpans({ path: '', text: part }).filter((span) => /^[\w/-]+\.ts$/.test(span));
}

test('the architecture page names only files that are there', () => {
  const missing = filesIn(text).filter(
    (name) => !files.some((file) => file === name || file.endsWith(`/${name}`)),
  );
  expect(missing).toEqual([]);
});

test('its glossary has at most 30 words, and its journeys few files', () => {
  const [, words = ''] = /\n## Words\n\n([^]*?)\n\n/.exec(text) ?? [];
  expect(words.split('\n').length - 2).toBeLessThanOrEqual(30);
  const journeys = text.split('\n').filter((line) => /^\*\*A(n|) [^*]+\.\*\*/.test(line));
  const counts = journeys.map((journey) => filesIn(journey).length);
  const stated = journeys.map((journey) => Number(/That is (\d+) files/.exec(journey)?.[1]));
  expect(stated).toEqual(counts);
  for (const [index, most] of [45, 60, 30].entries()) {
    expect(counts[index]).toBeLessThanOrEqual(most);
  }
});
