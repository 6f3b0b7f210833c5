/** A disk that is soon full, where the system lets the tests make one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testFolder } from './folder.js';

export const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'true']).status === 0;

/** The folder of a disk of so many KiB, for the length of the test. */
export function smallDisk(kibibytes: number): string {
  const folder = join(testFolder(), 'disk');
  mkdirSync(folder);
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${String(kibibytes)}k`, 'tmpfs', folder]);
  onTestFinished(() => {
    spawnSync('umount', [folder]);
  });
  return folder;
}
