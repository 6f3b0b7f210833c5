import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './error-code.js';

/**
 * Makes a folder, and those above it, that only their owner may enter; one that exists keeps its
 * mode. Not `recursive: true`: that never ends where a parent exists and yet no folder can be made
 * in it, as below /proc. @throws the system's error.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    makeOnce(folder);
  }
}

/** Its parent stands now; another process may have made it in the meantime. */
function makeOnce(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Makes new names in a folder last; where a folder cannot be synced, they are in place all the same. */
export function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows and some network disks sync no folders.
  }
}
