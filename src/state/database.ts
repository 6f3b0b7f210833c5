/**
 * What svc must not forget, in one SQLite file among its data. What has been written when a call
 * returns is on disk, and any number of processes may write at once. Whoever needs this file only
 * sometimes loads it late: libsql costs 12 ms.
 */
import { closeSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { codeOf } from '../files/file-trouble.js';
import { makeFolder, openOwn } from '../lib/own-file.js';
import type { Paths } from './paths.js';

const version = 1;
const schema = `
  CREATE TABLE ledger (seq INTEGER PRIMARY KEY, book TEXT NOT NULL, event TEXT NOT NULL);
  CREATE TABLE incidents (report TEXT NOT NULL, incident TEXT NOT NULL, at_ms REAL NOT NULL);
  CREATE INDEX incidents_by_report ON incidents (report);
  PRAGMA user_version = ${String(version)};
`;

/** How long a statement waits for the transactions of other processes. */
const patienceMs = 15_000;

/** The last one opened: a process has one. */
let opened: { readonly path: string; readonly database: Database.Database } | undefined;

export interface StateDatabase {
  readonly path: string;
  /** Every row; none where nothing was ever written. */
  all<Row extends z.ZodMiniType>(
    row: Row,
    sql: string,
    ...values: readonly Value[]
  ): z.output<Row>[];
  /** Runs a statement and says how many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number;
  /** What `work` reads is what it changes: nobody else writes meanwhile. */
  transaction<Result>(work: () => Result): Result;
}

type Value = string | number | null;

/** Opens nothing yet. All of it throws what the system or SQLite says (`fileTrouble` has words). */
export function stateDatabase(paths: Paths): StateDatabase {
  const path = join(paths.data, 'state.db');
  return {
    path,
    all: (row, sql, ...values) =>
      existsSync(path)
        ? connection(path)
            .prepare(sql)
            .all(...values)
            .map((found) => row.parse(found))
        : [],
    run: (sql, ...values) =>
      Changes.parse(
        connection(path)
          .prepare(sql)
          .run(...values),
      ).changes,
    transaction: (work) => inTransaction(connection(path), work),
  };
}

const Changes = z.object({ changes: z.number() });

function connection(path: string): Database.Database {
  if (opened?.path === path && existsSync(path)) return opened.database;
  opened?.database.close();
  opened = undefined;
  makeFolder(join(path, '..'));
  // Made here, for its owner alone; SQLite gives the files beside it the same mode.
  closeSync(openOwn(path, 'make'));
  const database = new Database(path, { timeout: patienceMs });
  try {
    prepare(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  opened = { path, database };
  return database;
}

const Version = z.object({ user_version: z.number() });

function prepare(database: Database.Database, path: string): void {
  useWriteAheadLog(database);
  database.exec('PRAGMA synchronous = FULL');
  const found = () => Version.parse(database.prepare('PRAGMA user_version').get()).user_version;
  if (found() === 0) {
    inTransaction(database, () => {
      // Another process may have been faster to the lock.
      if (found() === 0) database.exec(schema);
    });
  }
  if (found() === version) return;
  throw new LocalFileError(`${path} was written by a newer svc`, {
    hint: 'update svc, or set SVC_CONFIG_DIR to another folder',
    code: 'local_file',
  });
}

/** Turning it on needs the file alone and does not wait by itself, so this waits. */
function useWriteAheadLog(database: Database.Database): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (attempt >= 400 || !codeOf(error)?.startsWith('SQLITE_BUSY')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
    }
  }
}

function inTransaction<Result>(database: Database.Database, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A failed COMMIT may have ended the transaction already.
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
