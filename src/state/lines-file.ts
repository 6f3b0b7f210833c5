/**
 * A file of lines that only grows. Each line is one write with O_APPEND, which no other process
 * can come between, so that no lock is needed; it begins with a line feed, so that a line that was
 * torn by a crash or a full disk spoils no other.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
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

/** What the system does not say of a write that it took a part of. */
function cutShort(): Error {
  return Object.assign(new Error('short write'), { code: 'ENOSPC' });
}
