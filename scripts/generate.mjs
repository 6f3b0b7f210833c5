// Writes the files that are made from the declarations and the manual; with --check it writes
// nothing, and fails naming those that are stale; with --data it writes only the data that git does
// not keep, as each build does.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from './declarations.mjs';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const list = (folder) => readdirSync(join(root, folder)).sort();
const onlyData = process.argv.includes('--data');
const isData = (path) => path.startsWith('src/');

async function generatedFiles() {
  const sources = await readDeclarations('scripts/generate/files.ts');
  const files = sources.generatedFiles({ read, list });
  if (onlyData) return files.filter(({ path }) => isData(path));
  const { format, resolveConfig } = await import('prettier');
  const formatted = files.map(async ({ path, text }) => {
    const filepath = join(root, path);
    if (isData(path)) return { path, text };
    return { path, text: await format(text, { ...(await resolveConfig(filepath)), filepath }) };
  });
  return Promise.all(formatted);
}

function isFresh({ path, text }) {
  try {
    return read(path) === text;
  } catch {
    return false;
  }
}

const stale = (await generatedFiles()).filter((file) => !isFresh(file));
if (process.argv.includes('--check')) {
  const kept = stale.filter(({ path }) => !isData(path));
  for (const { path } of kept) console.error(`${path} is stale: npm run generate`);
  process.exitCode = kept.length > 0 ? 1 : 0;
} else {
  for (const { path, text } of stale) {
    writeFileSync(join(root, path), text);
    console.log(path);
  }
}
