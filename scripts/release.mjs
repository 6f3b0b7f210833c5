// npm run release [TARGET ...]: makes release/ for all targets, or for these: the binary of each in
// an archive, and SHA256SUMS. Runtimes and native parts are packages of npm; nothing else is
// downloaded. It runs on Linux.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { bunVersion, targets } from './release/targets.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const out = join(root, 'release');
const readJson = async (path) => JSON.parse(await readFile(join(root, path), 'utf8'));
const { version } = await readJson('package.json');
const { optionalDependencies: libsqlVersions } = await readJson('node_modules/libsql/package.json');

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in targets));
if (unknown) throw new Error(`there is no target ${unknown}; there are ${Object.keys(targets)}`);

await rm(out, { recursive: true, force: true });
await run(process.execPath, [join(root, 'scripts/build.mjs')]);
for (const name of asked.length > 0 ? asked : Object.keys(targets)) {
  const folder = join(out, `svc-${version}-${name}`);
  await compile(name, join(folder, targets[name].program));
  await addDocuments(folder);
  await archive(folder, targets[name].archive);
}
await writeSums();

async function compile(name, outfile) {
  const { runtime, libsql } = targets[name];
  const host = `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
  const bunOf = async (id) => {
    const bin = join(await packageFolder(id, bunVersion), 'bin');
    return join(bin, (await readdir(bin))[0]);
  };
  const native = join(await packageFolder(libsql, libsqlVersions[libsql]), 'index.node');
  const words = [await bunOf(runtime), native, version, outfile];
  await run(await bunOf(host), [join(root, 'scripts/release/compile.mjs'), ...words]);
}

/** A package of npm, unpacked once: a package of another machine cannot be installed on this one. */
async function packageFolder(id, packageVersion) {
  const folder = join(root, '.cache/release', `${basename(id)}-${packageVersion}`);
  const isThere = await readdir(folder).catch(() => undefined);
  if (isThere) return folder;
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', `${id}@${packageVersion}`], { cwd: part });
  const [{ filename }] = JSON.parse(stdout);
  await run('tar', ['-xzf', filename, '--strip-components=1'], { cwd: part });
  await rm(join(part, filename));
  await rename(part, folder);
  return folder;
}

/** What comes with every binary. */
async function addDocuments(folder) {
  for (const path of ['LICENSE', 'README.md', 'CHANGELOG.md', 'completions', 'dist/licenses.txt']) {
    await cp(join(root, path), join(folder, basename(path)), { recursive: true });
  }
}

async function archive(folder, format) {
  const name = basename(folder);
  if (format === 'zip') await run('zip', ['-9qr', `${name}.zip`, name], { cwd: out });
  else await run('tar', ['--owner=0', '--group=0', '-cJf', `${name}.tar.xz`, name], { cwd: out });
}

async function writeSums() {
  const entries = await readdir(out, { withFileTypes: true });
  const lines = entries
    .filter((entry) => entry.isFile())
    .map(async ({ name }) => {
      const hash = createHash('sha256').update(await readFile(join(out, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  await writeFile(join(out, 'SHA256SUMS'), (await Promise.all(lines)).sort().join(''));
}
