/** svc's own files, always regular: a pipe would block, and a device may have no end. */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { codeOf } from './error-code.js';

const flags = {
  read: fs.constants.O_RDONLY,
  make: fs.constants.O_WRONLY | fs.constants.O_CREAT,
} as const;

/** A new file is readable only for its owner. @throws, perhaps with code ENOTREG. */
export function openOwn(path: string, purpose: keyof typeof flags): number {
  let handle: number;
  try {
    // O_NONBLOCK is absent on Windows.
    handle = fs.openSync(path, flags[purpose] | (fs.constants.O_NONBLOCK || 0), 0o600);
  } catch (error) {
    // A pipe without a reader, or a socket.
    throw codeOf(error) === 'ENXIO' ? notRegular(path) : error;
  }
  const stats = fs.fstatSync(handle);
  if (stats.isFile()) return handle;
  fs.closeSync(handle);
  throw notRegular(path, stats.isDirectory() ? 'EISDIR' : undefined);
}

/**
 * Creates a file for a database, for its owner only; one that is there is not opened: closing it would end the
 * locks that SQLite holds on it in this process. @throws, perhaps with code ENOTREG.
 */
export function makeOwn(path: string): void {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) fs.closeSync(openOwn(path, 'make'));
  else if (stats.isFile()) fs.accessSync(path, fs.constants.W_OK);
  else throw notRegular(path, stats.isDirectory() ? 'EISDIR' : undefined);
}

export function readOwn(path: string): string {
  const handle = openOwn(path, 'read');
  try {
    return fs.readFileSync(handle, 'utf8');
  } finally {
    fs.closeSync(handle);
  }
}

/** The value of a file; undefined when it is missing, damaged or of another shape. */
export function readOwnJson<Shape extends z.ZodMiniType>(shape: Shape, path: string) {
  try {
    return shape.safeParse(JSON.parse(readOwn(path))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export function notRegular(path: string, code = 'ENOTREG'): Error {
  return Object.assign(new Error(`${path} is not a regular file`), { code });
}

/** Creates a folder, and those above it, for its owner only; an existing one keeps its mode. */
export function makeFolder(folder: string): void {
  // Not `recursive: true`, which never ends where a parent accepts no folders, as below /proc.
  if (fs.existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    syncFolder(dirname(folder));
  } catch (error) {
    // Another process may have created it in the meantime.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Puts the names in a folder on the disk; the contents of a file are synced by themselves. */
export function syncFolder(folder: string): void {
  try {
    const handle = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    // Windows and some network disks do not sync folders.
  }
}
