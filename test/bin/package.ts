/** The package as it is installed: bin/, dist/ and package.json, built from today's sources. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const sources = [
  'src',
  'bin',
  'completions',
  'docs/manual',
  'scripts/build.mjs',
  'scripts/declarations.mjs',
  'scripts/licenses.mjs',
  'scripts/loader.cjs',
  'package-lock.json',
  'scripts/release',
  'package.json',
];

/**
 * The package's folder. It lies apart from the repository's own dist/, which others may be using,
 * and is built once for each state of the sources.
 */
export function installed(): Promise<string> {
  // Looking takes 20 ms, as long as node takes to start.
  if (performance.now() > lookAgainAtMs) latest = build();
  lookAgainAtMs = performance.now() + 5000;
  return latest;
}

let latest: Promise<string>;
let lookAgainAtMs = 0;

async function build(): Promise<string> {
  const folder = join(inject('disk') ?? tmpdir(), `svc-package-${stateOfSources()}`);
  // Another process of tests may be building the same, unless it has run out of time.
  const lock = `${folder}.lock`;
  for (let waits = 0; waits < 600 && !existsSync(folder) && !isMade(lock); waits += 1) {
    await setTimeout(100);
  }
  try {
    if (!existsSync(folder)) await buildInto(folder);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
  return folder;
}

/** Whether this process has made the folder. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function buildInto(folder: string): Promise<void> {
  const fresh = mkdtempSync(`${folder}.`);
  for (const part of ['bin', 'docs/manual', 'package.json']) {
    cpSync(join(root, part), join(fresh, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(fresh, 'node_modules'));
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', join(fresh, 'dist')], {
    cwd: root,
    // The build runs svc once, which keeps its compiled code.
    env: { ...process.env, SVC_CONFIG_DIR: fresh },
  });
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another was first.
    rmSync(fresh, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/** Has runs with this config folder share the code that they compile: a start takes half the time. */
export async function shareCompiledCode(configFolder: string): Promise<void> {
  const shared = join(await installed(), 'cache');
  const [built = ''] = readdirSync(shared);
  const name = built.replace(/v[\d.]+/, process.version);
  mkdirSync(join(shared, name), { recursive: true, mode: 0o700 });
  mkdirSync(join(configFolder, 'cache'), { recursive: true, mode: 0o700 });
  symlinkSync(join(shared, name), join(configFolder, 'cache', name));
}

/** What starts svc: node with the bin of a package, or the single binary that the project tests. */
export async function program(folder?: string): Promise<[command: string, ...words: string[]]> {
  const binary = inject('binary');
  if (binary && !folder) return [binary];
  return [process.execPath, join(folder ?? (await installed()), 'bin/svc.cjs')];
}

/** The single binary for this machine; built once for each state of the sources. */
export async function makeBinary(): Promise<string> {
  const path = join(tmpdir(), `svc-binary-${stateOfSources()}`, 'svc');
  if (existsSync(path)) return path;
  const words = ['scripts/release/binary.mjs', `linux-${process.arch}`, path];
  await promisify(execFile)(process.execPath, words, { cwd: root });
  return path;
}

/** Changes whenever one of the sources does. */
function stateOfSources(): string {
  const hash = createHash('sha256').update(root);
  for (const path of sources.flatMap(filesIn)) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${String(mtimeMs)} ${String(size)}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(source: string): string[] {
  const path = join(root, source);
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile())
    .sort();
}
