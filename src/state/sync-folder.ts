import { closeSync, fsyncSync, openSync } from 'node:fs';

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
