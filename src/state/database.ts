/**
 * What svc must not forget, in one SQLite file among its data. What has been written when a call
 * returns is on disk, and any number of processes may write at once. Whoever needs this file only
 * sometimes loads it late: libsql costs 12 ms.
 */
import { closeSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { makeFolder, openOwn } from '../lib/own-file.js';
import { isBusy, Sql, type Value } from '../lib/sql.js';
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
let opened: { readonly path: string; readonly sql: Sql } | undefined;

/** Opens nothing yet. All of it throws what the system or SQLite says (`fileTrouble` has words). */
export function stateDatabase(paths: Paths) {
  const path = join(paths.data, 'state.db');
  return {
    path,
    /** Every row; none where nothing was ever written. */
    all: <Row extends z.ZodMiniType>(row: Row, sql: string, ...values: Value[]) =>
      existsSync(path) ? connection(path).all(row, sql, ...values) : [],
    run: (sql: string, ...values: Value[]) => connection(path).run(sql, ...values),
    /** What `work` reads is what it changes: nobody else writes meanwhile. */
    transaction: <Result>(work: () => Result) => connection(path).transaction(work),
  };
}

function connection(path: string): Sql {
  if (opened?.path === path && existsSync(path)) return opened.sql;
  opened?.sql.close();
  opened = undefined;
  makeFolder(join(path, '..'));
  // Made here, for its owner alone; SQLite gives the files beside it the same mode.
  closeSync(openOwn(path, 'make'));
  const sql = new Sql(path, patienceMs);
  try {
    prepare(sql, path);
  } catch (error) {
    sql.close();
    throw error;
  }
  opened = { path, sql };
  return sql;
}

function prepare(sql: Sql, path: string): void {
  useWriteAheadLog(sql);
  sql.exec('PRAGMA synchronous = FULL');
  const found = () => sql.number('PRAGMA user_version');
  if (found() === 0) {
    sql.transaction(() => {
      // Another process may have been faster to the lock.
      if (found() === 0) sql.exec(schema);
    });
  }
  if (found() === version) return;
  throw new LocalFileError(`${path} was written by a newer svc`, {
    hint: 'update svc, or set SVC_CONFIG_DIR to another folder',
    code: 'local_file',
  });
}

/** Turning it on needs the file alone and does not wait by itself, so this waits. */
function useWriteAheadLog(sql: Sql): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      sql.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (attempt >= 400 || !isBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
    }
  }
}
