// npm run release [TARGET ...]: makes release/ for all targets, or for these: the binary of each in
// an archive, and SHA256SUMS. It runs on Linux.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { targets } from './release/targets.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const out = join(root, 'release');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in targets));
if (unknown) throw new Error(`there is no target ${unknown}; there are ${Object.keys(targets)}`);

await rm(out, { recursive: true, force: true });
await run(process.execPath, [join(root, 'scripts/build.mjs')]);
for (const name of asked.length > 0 ? asked : Object.keys(targets)) {
  const folder = join(out, `svc-${version}-${name}`);
  await mkdir(folder, { recursive: true });
  const binary = join(root, 'scripts/release/binary.mjs');
  await run(process.execPath, [binary, name, join(folder, targets[name].program)]);
  await addDocuments(folder);
  await archive(folder, targets[name].archive);
}
await writeSums();

/** What comes with every binary. */
async function addDocuments(folder) {
  for (const path of ['LICENSE', 'README.md', 'CHANGELOG.md', 'completions', 'dist/licenses.txt']) {
    await cp(join(root, path), join(folder, basename(path)), { recursive: true });
  }
}

async function archive(folder, format) {
  const name = basename(folder);
  if (format === 'zip') await run('zip', ['-9qr', `${name}.zip`, name], { cwd: out });
  else {
    const env = { ...process.env, XZ_OPT: '-T0' };
    const words = ['--owner=0', '--group=0', '-cJf', `${name}.tar.xz`, name];
    await run('tar', words, { cwd: out, env });
  }
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
