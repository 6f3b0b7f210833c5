// Packs what is published on npm: svc-cli, and libsql's native packages under names of its own.
// libsql's do not say which libc they need, so every installation on Linux gets both, 10 MB each.
// Usage: node scripts/npm-packages.mjs OUT [PACKAGE], for the folder of a built package. Natives
// that are not in node_modules/ come from the registry, or are left out with SVC_PACK=installed.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readDeclarations } from './declarations.mjs';

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

/** Packs what a file of npm contains again, with another manifest. */
function repack(file, manifestFrom, license) {
  execFileSync('tar', ['-xzf', file, '-C', work]);
  const content = join(work, 'package');
  const manifest = join(content, 'package.json');
  const all = JSON.parse(readFileSync(manifest, 'utf8'));
  const { '//packages': notes, bundled, devDependencies, overrides, scripts, ...own } = all;
  writeFileSync(manifest, `${JSON.stringify(manifestFrom(own), undefined, 2)}\n`);
  if (license) cpSync(license, join(content, 'LICENSE'));
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
  const license = join(root, 'node_modules/libsql/LICENSE');
  repack(packed.file, (own) => ({ ...own, ...source, name: ownName(name), libc }), license);
}
const aliases = Object.entries(natives).map(([name, version]) => [
  name,
  `npm:${ownName(name)}@${version}`,
]);
const { mcpName } = await readDeclarations('scripts/release/server-json.ts');
repack(pack(folder, work).file, (own) => ({
  ...own,
  // As server.json of the release has it; left out where no repository is named.
  mcpName: mcpName(own),
  optionalDependencies: Object.fromEntries(aliases),
}));
rmSync(work, { recursive: true });
