/** What is paid for, on disk before a request leaves: after a crash its key goes out again. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { fileTrouble } from '../files/file-trouble.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';
import { stateDatabase } from './database.js';
import {
  eventIn,
  bodyName,
  jobFold,
  type Copied,
  type KeptBody,
  type LedgerEvent,
  type LedgerJob,
  type SavedFile,
} from './ledger-fold.js';
import type { Paths } from './paths.js';

const Row = z.object({ seq: z.number(), event: z.string() });

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens nothing yet, and reads no event twice. All throw LocalFileError.
 * @param book `requests` holds what is paid for and makes no media job.
 */
export function openLedger(paths: Paths, book: 'jobs' | 'requests' = 'jobs') {
  const database = stateDatabase(paths);
  const fold = jobFold();
  let last = 0;
  let damaged = 0;
  const read = () => {
    try {
      const news = 'SELECT seq, event FROM ledger WHERE seq > ? AND book = ? ORDER BY seq';
      for (const { seq, event: text } of database.all(Row, news, last, book)) {
        const event = eventIn(text);
        if (event) fold.take(event);
        else damaged += 1;
        last = seq;
      }
    } catch (error) {
      throw fileTrouble(error, `the job ledger ${database.path} cannot be read`);
    }
  };
  return {
    path: database.path,
    bodies: ledgerBodies(join(paths.data, 'jobs')),
    jobs: (): LedgerJob[] => {
      read();
      return fold.jobs();
    },
    unreadable: (): number => {
      read();
      return damaged;
    },
    copies: (job: Copied): SavedFile[] => {
      read();
      return fold.copies(job);
    },
    append: (event: LedgerEvent): void => {
      try {
        const add = 'INSERT INTO ledger (book, event) VALUES (?, ?)';
        database.run(add, book, JSON.stringify(event));
      } catch (error) {
        const failed = `the job ledger ${database.path} cannot be written`;
        throw fileTrouble(error, failed, 'make room or access, then run it again');
      }
    },
  };
}

/** A body up to this many bytes stands in its event; a larger one is a file of its own. */
export const mostLineBytes = 32 * 1024;

const dayMs = 24 * 60 * 60 * 1000;

function ledgerBodies(folder: string) {
  const pathOf = ({ name }: Pick<KeptBody, 'name'>) => join(folder, name);
  /** What cannot be removed is in nobody's way: the next sweep tries again. */
  const drop = (body: Pick<KeptBody, 'name'>) => {
    try {
      rmSync(pathOf(body), { force: true });
    } catch {
      return;
    }
  };
  return {
    pathOf,
    keep: async (pieces: AsyncIterable<Uint8Array>): Promise<KeptBody> => {
      const name = `${randomBytes(16).toString('hex')}.json`;
      const path = pathOf({ name });
      try {
        makeFolder(folder);
        await writeFile(path, pieces, { mode: 0o600, flush: true });
        syncFolder(folder);
        return { name, bytes: statSync(path).size };
      } catch (error) {
        drop({ name });
        const hint = 'make room or access, then run it again: nothing was sent';
        throw fileTrouble(error, `the request cannot be kept in ${path}`, hint);
      }
    },
    isWhole: (body: KeptBody) => statOf(pathOf(body))?.size === body.bytes,
    drop,
    /** Removes what a crash left before its job was written down, unless that was within a day. */
    sweep: (wanted: readonly KeptBody[], nowMs: number) => {
      const kept = new Set(wanted.map(({ name }) => name));
      for (const name of statOf(folder) ? readdirSync(folder) : []) {
        const isOld = nowMs - (statOf(pathOf({ name }))?.mtimeMs ?? nowMs) > dayMs;
        if (isOld && !kept.has(name) && bodyName.test(name)) drop({ name });
      }
    },
  };
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}
