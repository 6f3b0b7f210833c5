/** What svc must not lose: on disk when a call returns. Loaded late, because libsql costs 12 ms. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { openDatabase, type Sql, type Value } from '../lib/sql.js';
import type { Paths } from './paths.js';

const schema = `
  CREATE TABLE ledger (seq INTEGER PRIMARY KEY, book TEXT NOT NULL, event TEXT NOT NULL);
  CREATE TABLE incidents (report TEXT NOT NULL, incident TEXT NOT NULL, at_ms REAL NOT NULL);
  CREATE INDEX incidents_by_report ON incidents (report)`;

let opened: { readonly path: string; readonly sql: Sql } | undefined;

/** Opens nothing yet. Its methods throw the errors of the system or SQLite (see `fileTrouble`). */
export function stateDatabase(paths: Paths) {
  const path = join(paths.data, 'state.db');
  return {
    path,
    all: <Row extends z.ZodMiniType>(row: Row, sql: string, ...values: Value[]) =>
      existsSync(path) ? connection(path).all(row, sql, ...values) : [],
    run: (sql: string, ...values: Value[]) => connection(path).run(sql, ...values),
    transaction: <Result>(work: () => Result) => connection(path).transaction(work),
  };
}

function connection(path: string): Sql {
  if (opened?.path === path && existsSync(path)) return opened.sql;
  opened?.sql.close();
  opened = undefined;
  const sql = openDatabase(path, {
    version: 1,
    schema,
    pragmas: 'PRAGMA synchronous = FULL',
    waitMs: 15_000,
    otherVersion: () =>
      new LocalFileError(`${path} was written by a newer svc`, {
        hint: 'update svc, or set SVC_CONFIG_DIR to another folder',
        code: 'local_file',
      }),
  });
  opened = { path, sql };
  return sql;
}
