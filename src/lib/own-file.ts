/**
 * Files of svc's own. They are regular files: with a pipe in the place of one svc would wait for
 * ever, and a device may have no end.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './error-code.js';

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;
const flags = {
  read: O_RDONLY,
  make: O_WRONLY | O_CREAT,
  append: O_WRONLY | O_CREAT | O_APPEND,
} as const;

/** Absent on Windows. */
const noWait = constants.O_NONBLOCK || 0;

/**
 * Opens such a file; a new one is for its owner alone. A device is opened to append, for the error
 * of the write says more. @throws the system's error, or one with the code ENOTREG.
 */
export function openOwn(path: string, purpose: keyof typeof flags): number {
  let handle: number;
  try {
    handle = openSync(path, flags[purpose] | noWait, 0o600);
  } catch (error) {
    // A pipe that nobody reads, or a socket.
    throw codeOf(error) === 'ENXIO' ? notRegular(path) : error;
  }
  const stats = fstatSync(handle);
  if (stats.isFile() || (purpose === 'append' && stats.isCharacterDevice())) return handle;
  closeSync(handle);
  throw notRegular(path, stats.isDirectory() ? 'EISDIR' : undefined);
}

/** What such a file holds. @throws as `openOwn`. */
export function readOwn(path: string): string {
  const handle = openOwn(path, 'read');
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** The error of a file that is none. */
export function notRegular(path: string, code = 'ENOTREG'): Error {
  return Object.assign(new Error(`${path} is not a regular file`), { code });
}

/**
 * Makes a folder, and those above it, that only their owner may enter; one that exists keeps its
 * mode. Not `recursive: true`: that never ends where a parent exists and yet no folder can be made
 * in it, as below /proc. @throws the system's error.
 */
export function makeFolder(folder: string, hasParent = false): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    // Another process may have made it in the meantime.
    if (code === 'EEXIST') return;
    if (hasParent || code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    makeFolder(folder, true);
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
