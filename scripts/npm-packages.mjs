// Packs what is published on npm: svc-cli, and libsql's native packages under names of its own.
// libsql's do not say which libc they need, so every installation on Linux gets both, 10 MB each.
// Usage: node scripts/npm-packages.mjs OUT [PACKAGE], for the folder of a built package. Natives
// that are not in node_modules/ come from the registry, or are left out with SVC_PACK=installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readDeclarations } from './declarations.mjs';
import { about } from './release/about.mjs';

const [out, folder = '.'] = process.argv.slice(2).map((path) => resolve(path));
const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'svc-npm-'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** @returns the file, and what npm knows of it */
function pack(what, destination) {
  const words = ['pack', what, '--json', '--ignore-scripts', '--pack-destination', destination];
  const isWindows = process.platform === 'win32';
  const [packed] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', shell: isWindows }));
  return { ...packed, file: join(destination, packed.filename) };
}

/** Packs what a file of npm contains again, with another manifest and more files, by their paths. */
function repack(file, manifestFrom, more) {
  execFileSync('tar', ['-xzf', file, '-C', work]);
  const content = join(work, 'package');
  const manifest = join(content, 'package.json');
  const all = JSON.parse(readFileSync(manifest, 'utf8'));
  const { '//packages': notes, bundled, devDependencies, overrides, scripts, ...own } = all;
  writeFileSync(manifest, `${JSON.stringify(manifestFrom(own), undefined, 2)}\n`);
  for (const [path, text] of Object.entries(more)) {
    mkdirSync(dirname(join(content, path)), { recursive: true });
    writeFileSync(join(content, path), text);
  }
  console.log(pack(content, out).filename);
  rmSync(content, { recursive: true });
}

const libcs = { gnu: ['glibc'], gnueabihf: ['glibc'], musl: ['musl'], musleabihf: ['musl'] };
const ownName = (name) => name.replace('@libsql/', 'svc-cli-libsql-');
const { optionalDependencies: natives, repository } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
);
/** npm's provenance is refused where a package names another repository than the workflow's. */
const source = repository && { repository };

for (const [name, version] of Object.entries(natives)) {
  const installed = join(root, 'node_modules', name);
  const isInstalled = existsSync(installed);
  if (!isInstalled && process.env.SVC_PACK === 'installed') continue;
  const packed = pack(isInstalled ? installed : `${name}@${version}`, work);
  if (!isInstalled && packed.integrity !== lock[`node_modules/${name}`].integrity) {
    throw new Error(`${name} is not what package-lock.json says`);
  }
  const libc = libcs[name.split('-').at(-1)];
  const LICENSE = readFileSync(join(root, 'node_modules/libsql/LICENSE'));
  repack(packed.file, (own) => ({ ...own, ...source, name: ownName(name), libc }), { LICENSE });
}
const aliases = Object.entries(natives).map(([name, version]) => [
  name,
  `npm:${ownName(name)}@${version}`,
]);
const { mcpName } = await readDeclarations('scripts/release/server-json.ts');
const { manPages } = await readDeclarations('scripts/release/man.ts');
const pages = Object.entries(manPages(about)).map(([name, text]) => [`man/${name}`, text]);
const svc = (own) => ({
  ...own,
  // `npm install --global` links them, so that man finds them.
  files: [...own.files, 'man'],
  man: pages.map(([path]) => path),
  // As server.json of the release has it; left out where no repository is named.
  mcpName: mcpName(own),
  optionalDependencies: Object.fromEntries(aliases),
});
repack(pack(folder, work).file, svc, Object.fromEntries(pages));
rmSync(work, { recursive: true });
