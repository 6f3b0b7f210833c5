/**
 * A file of lines that only grows. Each line is one write with O_APPEND, which no other process
 * can come between, so that no lock is needed; it begins with a line feed, so that a line that was
 * torn by a crash or a full disk spoils no other.
 */
import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../files/file-trouble.js';
import { makeFolder, notRegular, openOwn, readOwn } from '../lib/own-file.js';
import { syncFolder } from './sync-folder.js';

/** Adds a line; when it returns, the line is on disk. Its folder is made. @throws the system's error. */
export function appendLine(path: string, line: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  const handle = openOwn(path, 'append');
  try {
    const stats = fstatSync(handle);
    const bytes = Buffer.from(`\n${line}\n`);
    // A second write could come after another process's line.
    if (writeSync(handle, bytes) < bytes.length) throw cutShort();
    if (!stats.isFile()) throw notRegular(path);
    fsyncSync(handle);
    if (stats.size === 0) syncFolder(folder);
  } finally {
    closeSync(handle);
  }
}

/** Its lines, torn and empty ones among them; none when there is no file. @throws the system's error. */
export function linesIn(path: string): string[] {
  try {
    return readOwn(path).split('\n');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export interface LinesReader {
  /** Told first when the file is shorter than it was: then it is read from its start. */
  readonly onRestart: () => void;
  /** Told of each line that has ended. */
  readonly onLine: (line: string) => void;
}

export interface LinesRead {
  /** What stands after the last line feed. */
  readonly rest: string;
  /** Where the ended lines end. */
  readonly endBytes: number;
}

/** So much is in memory at once, however long the file is. */
const pieceBytes = 1024 * 1024;

/** Reads the lines behind an offset at which one begins. @throws the system's error. */
export function readLinesFrom(path: string, offset: number, reader: LinesReader): LinesRead {
  const handle = openedIfThere(path);
  if (handle === undefined) {
    if (offset > 0) reader.onRestart();
    return { rest: '', endBytes: 0 };
  }
  try {
    const isShorter = fstatSync(handle).size < offset;
    if (isShorter) reader.onRestart();
    return readPieces(handle, isShorter ? 0 : offset, reader.onLine);
  } finally {
    closeSync(handle);
  }
}

function openedIfThere(path: string): number | undefined {
  try {
    return openOwn(path, 'read');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readPieces(handle: number, startBytes: number, onLine: (line: string) => void): LinesRead {
  const piece = Buffer.allocUnsafe(pieceBytes);
  let rest = Buffer.alloc(0);
  let at = startBytes;
  for (;;) {
    const read = readSync(handle, piece, 0, piece.length, at);
    if (read === 0) return { rest: rest.toString('utf8'), endBytes: at - rest.length };
    at += read;
    const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end > 0)
      bytes
        .toString('utf8', 0, end - 1)
        .split('\n')
        .forEach(onLine);
    rest = bytes.subarray(end);
  }
}

/** What the system does not say of a write that it took a part of. */
function cutShort(): Error {
  return Object.assign(new Error('short write'), { code: 'ENOSPC' });
}
