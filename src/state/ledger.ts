/**
 * The ledger of media jobs. What is to be paid for is written here, and on disk, before the first
 * byte of its request leaves: after a crash the same request goes out again with the same key.
 */
import { join } from 'node:path';
import { fileTrouble } from '../files/file-trouble.js';
import { ledgerBodies, type Bodies } from './ledger-bodies.js';
import { eventIn, type LedgerEvent } from './ledger-events.js';
import {
  jobFold,
  type Copied,
  type JobFold,
  type LedgerJob,
  type SavedFile,
} from './ledger-fold.js';
import { appendLine, readLinesFrom } from './lines-file.js';
import type { Paths } from './paths.js';

export interface Ledger {
  /** The file, for messages. */
  readonly path: string;
  readonly bodies: Bodies;
  /** Every job, in the order in which they were wanted. @throws LocalFileError */
  jobs(): LedgerJob[];
  /** How many lines are damaged, but for a last one that is still being written. @throws LocalFileError */
  unreadable(): number;
  /** The files that results of a job were put into, unless others were since. @throws LocalFileError */
  copies(job: Copied): SavedFile[];
  /**
   * Writes an event; when it returns, the event is on disk.
   * @throws LocalFileError when that cannot be.
   */
  append(event: LedgerEvent): void;
}

const makeRoom = 'make room or access, then run it again';

/**
 * Opens nothing yet: a folder is made when the first event is written.
 * @param name `requests` holds what is paid for and makes no media job: speech, transcriptions, voices.
 */
export function openLedger(paths: Paths, name: 'jobs' | 'requests' = 'jobs'): Ledger {
  const path = join(paths.data, `${name}.jsonl`);
  const read = ledgerReader(path);
  return {
    path,
    bodies: ledgerBodies(join(paths.data, 'jobs')),
    jobs: () => read().fold.jobs(),
    unreadable: () => read().damaged,
    copies: (job) => read().fold.copies(job),
    append: (event) => {
      try {
        appendLine(path, JSON.stringify(event));
      } catch (error) {
        throw fileTrouble(error, `the job ledger ${path} cannot be written`, makeRoom);
      }
    },
  };
}

/**
 * What the ledger tells by now. A command looks often, and reading is what takes long: what was
 * read before is not read again, since lines are only ever added.
 */
function ledgerReader(path: string): () => { fold: JobFold; damaged: number } {
  let fold = jobFold();
  let readBytes = 0;
  let damaged = 0;
  const onRestart = () => {
    fold = jobFold();
    damaged = 0;
  };
  const onLine = (line: string) => {
    const event = eventIn(line);
    if (event === 'damaged') damaged += 1;
    else if (event) fold.take(event);
  };
  return () => {
    try {
      const { rest, endBytes } = readLinesFrom(path, readBytes, { onRestart, onLine });
      readBytes = endBytes;
      // Read again when it has ended: to be told twice in a row changes nothing.
      const ended = damaged;
      onLine(rest);
      damaged = ended;
      return { fold, damaged };
    } catch (error) {
      throw fileTrouble(error, `the job ledger ${path} cannot be read`);
    }
  };
}
