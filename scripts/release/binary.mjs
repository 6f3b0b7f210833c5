// node binary.mjs TARGET OUTFILE: the single binary of a target. Its runtime and native parts are
// packages of npm; nothing else is downloaded.
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readDeclarations } from '../declarations.mjs';
import { bunVersion, runtimeOf, targets } from './targets.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const manifest = await readFile(join(root, 'package.json'), 'utf8');
const { version, optionalDependencies, devDependencies, ...rest } = JSON.parse(manifest);
const { releasesOf } = await readDeclarations('scripts/release/repository.ts');

const [target, outfile] = process.argv.slice(2);
const { native, usesLibsql } = targets[target];
const keyring = `@napi-rs/keyring-${native}`;
const natives = [
  join(
    await packageFolder(keyring, devDependencies['@napi-rs/keyring'].replace('^', '')),
    `keyring.${native}.node`,
  ),
];
if (usesLibsql) {
  const libsql = `@libsql/${native}`;
  natives.push(join(await packageFolder(libsql, optionalDependencies[libsql]), 'index.node'));
}
const releases = releasesOf(rest, process.env) ?? '';
const words = [target, await bunOf(target), version, resolve(outfile), releases, ...natives];
const compiler = await bunOf(`linux-${process.arch}`);
// The names of chunks follow from the paths of their files, as seen from the working folder.
await run(compiler, [join(import.meta.dirname, 'compile.mjs'), ...words], { cwd: root });

async function bunOf(machine) {
  const bin = join(await packageFolder(runtimeOf(machine), bunVersion), 'bin');
  return join(bin, (await readdir(bin))[0]);
}

/** A package, unpacked once: npm does not install what is made for another machine. */
async function packageFolder(id, packageVersion) {
  const folder = join(root, '.cache/release', `${basename(id)}-${packageVersion}`);
  if (await readdir(folder).catch(() => undefined)) return folder;
  const part = `${folder}.${process.pid}.part`;
  await mkdir(part, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', `${id}@${packageVersion}`], { cwd: part });
  const [{ filename }] = JSON.parse(stdout);
  await run('tar', ['-xzf', filename, '--strip-components=1'], { cwd: part });
  await rm(join(part, filename));
  await rename(part, folder);
  return folder;
}
