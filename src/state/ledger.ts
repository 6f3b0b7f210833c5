/**
 * The ledger of media jobs. What is to be paid for is written here, and on disk, before the first
 * byte of its request leaves: after a crash the same request goes out again with the same key.
 *
 * A file of lines that only grows. Every event is one write with O_APPEND, which no other process
 * can come between, so that no lock is needed; it begins with a line feed, so that a line that
 * was torn by a crash or a full disk spoils no other.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { ledgerBodies, type Bodies } from './ledger-bodies.js';
import { eventIn, type LedgerEvent } from './ledger-events.js';
import { foldJobs, type LedgerJob } from './ledger-fold.js';
import { makeFolder } from '../lib/make-folder.js';
import type { Paths } from './paths.js';
import { syncFolder } from './sync-folder.js';

export interface Ledger {
  /** The file, for messages. */
  readonly path: string;
  readonly bodies: Bodies;
  /** Every job, in the order in which they were wanted. @throws LocalFileError */
  jobs(): LedgerJob[];
  /**
   * Writes an event; when it returns, the event is on disk.
   * @throws LocalFileError when that cannot be.
   */
  append(event: LedgerEvent): void;
}

const makeRoom = 'make room or access, then run it again';

/** Opens nothing yet: a folder is made when the first event is written. */
export function openLedger(paths: Paths): Ledger {
  const path = join(paths.data, 'jobs.jsonl');
  return {
    path,
    bodies: ledgerBodies(join(paths.data, 'jobs')),
    jobs: () => foldJobs(eventsIn(path)),
    append: (event) => {
      try {
        makeFolder(paths.data);
        appendLine(path, JSON.stringify(event), paths.data);
      } catch (error) {
        throw fileTrouble(error, `the job ledger ${path} cannot be written`, makeRoom);
      }
    },
  };
}

function eventsIn(path: string): LedgerEvent[] {
  return readText(path)
    .split('\n')
    .map(eventIn)
    .filter((event) => event !== undefined);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw fileTrouble(error, `the job ledger ${path} cannot be read`);
  }
}

function appendLine(path: string, line: string, folder: string): void {
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

/** What the system does not say of a write that it took a part of. */
function cutShort(): Error {
  return Object.assign(new Error('short write'), { code: 'ENOSPC' });
}
