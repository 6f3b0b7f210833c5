// npm run release [-- --out DIR] [--binary FILE] [--level N] [TARGET ...]: makes release/, or a new
// DIR, for all targets, or for these: the binary of each, or FILE in its place, in an archive and in
// packages, manifests for package managers, server.json, install.sh, what it was made of, and
// SHA256SUMS. N is the level of xz, by default 1; 6, which the workflow takes, needs five times the
// processor time for an eighth less to download. It runs on Linux.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { readDeclarations } from './declarations.mjs';
import { licensesOf } from './licenses.mjs';
import { about } from './release/about.mjs';
import { factsOf, sumOf } from './release/facts.mjs';
import { manifests } from './release/manifests.mjs';
import { makePackages } from './release/packages.mjs';
import { bunVersion, targets } from './release/targets.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    binary: { type: 'string' },
    level: { type: 'string', default: '1' },
  },
});
const out = resolve(values.out ?? join(root, 'release'));
const { version } = about;
const unknown = asked.find((name) => !(name in targets));
if (unknown) throw new Error(`there is no target ${unknown}; there are ${Object.keys(targets)}`);

/** What the binary contains beside the code of the package. */
const runtimeLicense = `Bun ${bunVersion} (MIT)

The single binary contains Bun, which links JavaScriptCore of WebKit (LGPL-2.1) and other libraries
statically. Their licences, and the source to build it with another WebKit, are at
https://github.com/oven-sh/bun/blob/bun-v${bunVersion}/LICENSE.md and
https://github.com/oven-sh/webkit.
`;

// Modes are those of the packages, whoever made the clone.
process.umask(0o022);
// Only release/ is emptied.
if (values.out) await mkdir(out);
else await rm(out, { recursive: true, force: true });
await run(process.execPath, [join(root, 'scripts/build.mjs')]);
const { manPages } = await readDeclarations('scripts/release/man.ts');
const { serverJson } = await readDeclarations('scripts/release/server-json.ts');
const archives = {};
const programs = {};
/** What SHA256SUMS also has, beside the files of the release: what `svc version --verify` compares. */
const inside = new Map();
for (const folder of ['bin', 'dist']) {
  for (const name of readdirSync(join(root, folder)))
    inside.set(`svc-cli-${version}/${folder}/${name}`, join(root, folder, name));
}
for (const name of asked.length > 0 ? asked : Object.keys(targets)) {
  const isWindows = name.startsWith('windows');
  const folder = join(out, `svc-${version}-${name}`);
  await mkdir(folder, { recursive: true });
  const program = join(folder, isWindows ? 'svc.exe' : 'svc');
  const binary = join(root, 'scripts/release/binary.mjs');
  if (values.binary) await cp(values.binary, program);
  else await run(process.execPath, [binary, name, program]);
  inside.set(relative(out, program), program);
  programs[name] = program;
  await addDocuments(folder, factsOf({ [name]: program }));
  await normalize(folder);
  const [file] = await Promise.all([
    archive(folder, isWindows ? 'zip' : 'tar.xz'),
    makePackages(folder, targets[name], out, values.level),
  ]);
  archives[name] = { file, sha256: sumOf(join(out, file)) };
}
const installer = await readFile(join(root, 'scripts/install.sh'), 'utf8');
const server = serverJson(about);
if (!server) console.log('server.json is left out: package.json names no repository');
const files = {
  ...manifests(archives),
  ...factsOf(programs),
  'install.sh': installer.replace('@RELEASES@', about.releases).replace('@VERSION@', version),
  ...(server && { 'server.json': server }),
};
for (const [file, text] of Object.entries(files)) await writeFile(join(out, file), text);
await writeSums();

/** What comes with every binary. */
async function addDocuments(folder, facts) {
  // As in the package of npm, so that the links of its pages lead somewhere.
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const paths = files.filter((path) => path !== 'bin' && path !== 'dist');
  for (const path of ['LICENSE', 'README.md', ...paths]) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  await cp(join(root, 'dist/licenses.txt'), join(folder, 'licenses.txt'));
  const native = await licensesOf(root, ['node_modules/@napi-rs/keyring']);
  await appendFile(join(folder, 'licenses.txt'), `\n${native}\n${runtimeLicense}`);
  await cp(join(folder, 'licenses.txt'), join(out, 'licenses.txt'));
  for (const [file, text] of Object.entries(facts)) await writeFile(join(folder, file), text);
  await mkdir(join(folder, 'man'));
  for (const [page, text] of Object.entries(manPages(about))) {
    await writeFile(join(folder, 'man', page), text);
  }
}

/** Gives the files modes and times by which the same commit makes the same bytes. */
async function normalize(folder) {
  await run('chmod', ['-R', 'u=rwX,go=rX', folder]);
  await run('find', [folder, '-exec', 'touch', '-d', `@${about.epoch}`, '{}', '+']);
}

/** @returns the name of the archive */
async function archive(folder, format) {
  const name = basename(folder);
  const file = `${name}.${format}`;
  const line =
    format === 'zip'
      ? 'find "$1" | LC_ALL=C sort | zip -9qX "$2" -@'
      : 'tar --sort=name --owner=0 --group=0 -cJf "$2" "$1"';
  const env = { ...process.env, TZ: 'UTC', XZ_OPT: `-T0 -${values.level}` };
  await run('sh', ['-c', line, 'sh', name, file], { cwd: out, env });
  return file;
}

async function writeSums() {
  const entries = await readdir(out, { withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, join(out, name)]);
  const lines = [...files, ...inside].sort().map(([name, path]) => `${sumOf(path)}  ${name}\n`);
  await writeFile(join(out, 'SHA256SUMS'), lines.join(''));
}
