// What a binary was made of and by: build.json and sbom.cdx.json, in an archive and beside all.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { about } from './about.mjs';
import { sbomOf } from './sbom.mjs';
import { bunVersion } from './targets.mjs';

const root = join(import.meta.dirname, '../..');
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const sourceDate = new Date(about.epoch * 1000).toISOString().replace('.000', '');

/** The SHA-256 of a file, in hexadecimal digits. */
export const sumOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/**
 * @param programs the path of the binary of each target
 * @returns the text of each file by its name
 */
export function factsOf(programs) {
  const sums = Object.entries(programs).map(([target, path]) => [target, sumOf(path)]);
  const build = {
    name: about.name,
    version: about.version,
    commit: git('rev-parse', 'HEAD'),
    /** Whether files differed from the commit. */
    modified: git('status', '--porcelain', '--untracked-files=no') !== '',
    sourceDate,
    node: process.version,
    bun: bunVersion,
    packageLock: sumOf(join(root, 'package-lock.json')),
    programs: Object.fromEntries(sums),
  };
  const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
  const bundled = components.map((one) => one['bom-ref']);
  return {
    'build.json': `${JSON.stringify(build, undefined, 2)}\n`,
    'sbom.cdx.json': sbomOf(bundled, Object.keys(programs), sourceDate),
  };
}
