/** svc's own files, always regular: a pipe would block, and a device may have no end. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { codeOf } from './error-code.js';

const flags = { read: constants.O_RDONLY, make: constants.O_WRONLY | constants.O_CREAT } as const;

/** A new file is readable only for its owner. @throws, perhaps with code ENOTREG. */
export function openOwn(path: string, purpose: keyof typeof flags): number {
  let handle: number;
  try {
    // O_NONBLOCK is absent on Windows.
    handle = openSync(path, flags[purpose] | (constants.O_NONBLOCK || 0), 0o600);
  } catch (error) {
    // A pipe without a reader, or a socket.
    throw codeOf(error) === 'ENXIO' ? notRegular(path) : error;
  }
  const stats = fstatSync(handle);
  if (stats.isFile()) return handle;
  closeSync(handle);
  throw notRegular(path, stats.isDirectory() ? 'EISDIR' : undefined);
}

export function readOwn(path: string): string {
  const handle = openOwn(path, 'read');
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
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
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

export function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows and some network disks do not sync folders.
  }
}
