// Plays svc in a pseudo-terminal and writes what it shows: docs/screens/ and the recording of the
// README. Words name the screens to play; without them it is all. It needs a build.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readDeclarations } from './declarations.mjs';

const root = join(import.meta.dirname, '..');
const { screenFiles } = await readDeclarations('scripts/screens/files.ts');

const names = process.argv.slice(2);
const stage = { package: root, scripts: join(import.meta.dirname, 'screens') };
const isAsked = (name) => names.length === 0 || names.includes(name);
const files = await screenFiles(stage, isAsked, (path, error) => {
  console.error(path, error);
  process.exitCode = 1;
});
const folder = join(root, 'docs/screens');
mkdirSync(folder, { recursive: true });
for (const { path, text } of files) writeFileSync(join(root, 'docs', path), text);
if (names.length === 0 && !process.exitCode) {
  const kept = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder).filter((one) => !kept.has(one)))
    rmSync(join(folder, name));
}
