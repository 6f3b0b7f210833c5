/** Releases of this folder, and of a clone that somebody else has elsewhere. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../test/docs/pages.js';
import { print } from './print.js';

const manifest = readFileSync(join(root, 'package.json'), 'utf8');
export const version = /"version": "(.*)"/.exec(manifest)?.[1] ?? '';

/** Runs a script of this folder, or of a clone, as a user with other habits does. */
export function runScript(name: string, words: readonly string[], clone?: string): void {
  const habits = clone && { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8' };
  const before = process.umask(clone ? 0o077 : 0o022);
  try {
    const options = { cwd: clone ?? root, env: { ...process.env, ...habits } };
    print(process.execPath, [`scripts/${name}`, ...words], options);
  } finally {
    process.umask(before);
  }
}

/** The project as it is now, in another folder until the test ends; its packages are links. */
export function cloneProject(): string {
  // On the same disk as what is linked.
  const folder = mkdtempSync(join(root, '.cache/clone-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const clone = join(folder, 'of somebody');
  const script = `umask 077
mkdir -p "$1/.cache" && ln -s "$PWD/.git" "$1/.git"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1"
cp -al node_modules "$1"
if [ -d .cache/release ]; then cp -al .cache/release "$1/.cache"; fi`;
  print('sh', ['-euc', script, 'sh', clone], { cwd: root });
  return clone;
}
