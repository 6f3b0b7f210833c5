/**
 * A file of lines that only grows. Each line is one write with O_APPEND, which no other process
 * can come between, so that no lock is needed; it begins with a line feed, so that a line that was
 * torn by a crash or a full disk spoils no other.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../files/file-trouble.js';
import { makeFolder } from '../lib/make-folder.js';
import { syncFolder } from './sync-folder.js';

/** Adds a line; when it returns, the line is on disk. Its folder is made. @throws the system's error. */
export function appendLine(path: string, line: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  const handle = openSync(path, 'a', 0o600);
  try {
    const isNew = fstatSync(handle).size === 0;
    const bytes = Buffer.from(`\n${line}\n`);
    // A second write could come after another process's line.
    if (writeSync(handle, bytes) < bytes.length) throw cutShort();
    fsyncSync(handle);
    if (isNew) syncFolder(folder);
  } finally {
    closeSync(handle);
  }
}

/** Its lines, torn and empty ones among them; none when there is no file. @throws the system's error. */
export function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export interface LinesRead {
  /** Those that have ended. */
  readonly lines: readonly string[];
  /** What stands after the last line feed. */
  readonly rest: string;
  /** Where reading began: 0 when the file is shorter than it was. */
  readonly startBytes: number;
  /** Where the ended lines end. */
  readonly endBytes: number;
}

/** The lines behind an offset at which one begins. @throws the system's error. */
export function linesFrom(path: string, offset: number): LinesRead {
  const { bytes, startBytes } = bytesFrom(path, offset);
  const end = bytes.lastIndexOf('\n') + 1;
  const lines = end === 0 ? [] : bytes.toString('utf8', 0, end - 1).split('\n');
  return { lines, rest: bytes.toString('utf8', end), startBytes, endBytes: startBytes + end };
}

function bytesFrom(path: string, offset: number): { bytes: Buffer; startBytes: number } {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { bytes: Buffer.alloc(0), startBytes: 0 };
    throw error;
  }
  try {
    const { size } = fstatSync(handle);
    const startBytes = size < offset ? 0 : offset;
    const bytes = Buffer.alloc(size - startBytes);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(handle, bytes, filled, bytes.length - filled, startBytes + filled);
      if (read === 0) break;
      filled += read;
    }
    return { bytes: bytes.subarray(0, filled), startBytes };
  } finally {
    closeSync(handle);
  }
}

/** What the system does not say of a write that it took a part of. */
function cutShort(): Error {
  return Object.assign(new Error('short write'), { code: 'ENOSPC' });
}
