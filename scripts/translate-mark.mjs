// node scripts/translate-mark.mjs PAGE ...: says in the first line of each Russian page that it
// follows its source as it is now. Only for whoever has compared both: the build never does it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const pages = process.argv.slice(2);
if (pages.length === 0) throw new Error('name the Russian pages that follow their sources');
for (const page of pages) {
  const path = relative(root, page).replaceAll('\\', '/');
  const source = path.replace('/ru/', '/').replace('.ru.md', '.md');
  if (source === path) throw new Error(`${path} is no Russian page`);
  const sum = createHash('sha256')
    .update(readFileSync(join(root, source)))
    .digest('hex');
  const mark = `<!-- source: ${source} sha256:${sum.slice(0, 16)} -->\n`;
  const text = readFileSync(page, 'utf8').replace(/^<!-- source: .*\n/, '');
  writeFileSync(page, mark + text);
  console.log(path);
}
