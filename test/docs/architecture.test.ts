import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeSpans, root } from './pages.js';

const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const files = readdirSync(join(root, 'src'), { recursive: true }).map(String);

test('the architecture page names only files that are there', () => {
  const named = codeSpans({ path: '', text }).filter((span) => /^[\w/-]+\.ts$/.test(span));
  const missing = named.filter(
    (name) => !files.some((file) => file === name || file.endsWith(`/${name}`)),
  );
  expect(missing).toEqual([]);
});
