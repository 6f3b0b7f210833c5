/**
 * The ledger of media jobs. What is to be paid for is written here, and on disk, before the first
 * byte of its request leaves: after a crash the same request goes out again with the same key.
 */
import { join } from 'node:path';
import { fileTrouble } from '../files/file-trouble.js';
import { ledgerBodies, type Bodies } from './ledger-bodies.js';
import { eventIn, type LedgerEvent } from './ledger-events.js';
import { foldJobs, type LedgerJob } from './ledger-fold.js';
import { appendLine, linesFrom } from './lines-file.js';
import type { Paths } from './paths.js';

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
  const eventsIn = ledgerReader(path);
  return {
    path,
    bodies: ledgerBodies(join(paths.data, 'jobs')),
    jobs: () => foldJobs(eventsIn()),
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
 * All events, each time they are wanted. A command looks often, and reading is what takes long:
 * what was read before is not read again, since lines are only ever added.
 */
function ledgerReader(path: string): () => LedgerEvent[] {
  let events: LedgerEvent[] = [];
  let readBytes = 0;
  return () => {
    try {
      const { lines, rest, startBytes, endBytes } = linesFrom(path, readBytes);
      // Another file has come to stand there.
      if (startBytes < readBytes) events = [];
      for (const line of lines) {
        const event = eventIn(line);
        if (event) events.push(event);
      }
      readBytes = endBytes;
      const last = eventIn(rest);
      return last ? [...events, last] : events;
    } catch (error) {
      throw fileTrouble(error, `the job ledger ${path} cannot be read`);
    }
  };
}
