/** What svc must not lose: on disk when a call returns. Loaded late, with SQLite. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { openDatabase, Sql, type Value } from '../lib/sql.js';
import type { Paths } from './paths.js';

/** What each version adds to the one before. A new table is a new version, once svc is released. */
const versions = [
  `CREATE TABLE ledger (seq INTEGER PRIMARY KEY, book TEXT NOT NULL, event TEXT NOT NULL);
   CREATE TABLE incidents (report TEXT NOT NULL, incident TEXT NOT NULL, at_ms REAL NOT NULL);
   CREATE INDEX incidents_by_report ON incidents (report)`,
  // state/log.ts: `request`, `asked` and `answered` are hashes of contents.
  `CREATE TABLE contents (hash TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE conversations (
     id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, head INTEGER, changedAtMs REAL);
   CREATE INDEX conversations_by_time ON conversations (changedAtMs, id);
   CREATE TABLE turns (
     id INTEGER PRIMARY KEY AUTOINCREMENT, conversation INTEGER NOT NULL, parent INTEGER,
     atMs REAL NOT NULL, service TEXT NOT NULL, keyHash TEXT NOT NULL,
     model TEXT NOT NULL, format TEXT NOT NULL, request TEXT NOT NULL,
     question TEXT NOT NULL, asked TEXT NOT NULL, answered TEXT, generationId TEXT, priceRub REAL,
     inputTokens INTEGER, outputTokens INTEGER, ms REAL, finishReason TEXT,
     isComplete INTEGER NOT NULL);
   CREATE INDEX turns_by_conversation ON turns (conversation);
   CREATE INDEX turns_by_time ON turns (atMs);
   CREATE VIRTUAL TABLE turn_texts USING fts5 (
     question, answer, content = '', contentless_delete = 1,
     tokenize = 'unicode61 remove_diacritics 2', prefix = '3 4');
   -- spending/budget.ts
   CREATE TABLE budget (
     id INTEGER PRIMARY KEY, service TEXT NOT NULL, keyHash TEXT NOT NULL, atMs REAL NOT NULL,
     model TEXT NOT NULL, mostRub REAL NOT NULL, priceRub REAL, record TEXT, onceKey TEXT,
     owner TEXT);
   CREATE INDEX budget_by_time ON budget (service, keyHash, atMs)`,
  // state/tool-calls.ts
  `CREATE TABLE tool_calls (
     turn INTEGER NOT NULL, place INTEGER NOT NULL, owner TEXT NOT NULL, result TEXT,
     PRIMARY KEY (turn, place)) WITHOUT ROWID`,
  // state/log.ts
  'ALTER TABLE turns ADD COLUMN searchRub REAL',
  'ALTER TABLE turns ADD COLUMN program TEXT',
  // state/cache.ts
  `CREATE TABLE cache (
     id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, atMs REAL NOT NULL, untilMs REAL NOT NULL,
     bytes INTEGER NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL);
   CREATE INDEX cache_by_time ON cache (atMs, bytes);
   CREATE INDEX cache_by_end ON cache (untilMs)`,
  // spending/budget.ts: in the time zone of the process that reserved it.
  'ALTER TABLE budget ADD COLUMN dayEndsMs REAL; ALTER TABLE budget ADD COLUMN monthEndsMs REAL',
];

const waitMs = 15_000;

let opened: { readonly path: string; readonly sql: Sql; readonly isReadOnly: boolean } | undefined;

/** state.db, which is opened when it is used. */
export class StateDatabase {
  readonly path: string;

  /**
   * The methods throw LocalFileError with this `name`, or without one the errors of the system or
   * SQLite. @param hint of what cannot be written
   */
  constructor(
    paths: Paths,
    private readonly name?: string,
    private readonly hint?: string,
  ) {
    this.path = join(paths.data, 'state.db');
  }

  /** Whether only what is there is read (`withoutWriting`): temporary tables can be written. */
  get isReadOnly(): boolean {
    return opened?.path === this.path && opened.isReadOnly;
  }

  /** None where there is no file. */
  all<Row extends z.ZodMiniType>(row: Row, find: string, ...values: Value[]): z.output<Row>[] {
    if (!existsSync(this.path)) return [];
    return this.#trying((sql) => sql.all(row, find, ...values), 'read');
  }

  /** @returns how many rows have changed */
  run(change: string, ...values: Value[]): number {
    return this.#trying((sql) => sql.run(change, ...values));
  }

  /** Runs several statements. */
  exec(changes: string): void {
    this.#trying((sql) => sql.exec(changes));
  }

  transaction<Result>(work: () => Result): Result {
    return this.#trying((sql) => sql.transaction(work));
  }

  /** Keeps few pages of long contents. @param limitMs how long it waits for other processes */
  quickTransaction<Result>(limitMs: number, work: () => Result): Result {
    return this.#trying((sql) => {
      sql.exec(`PRAGMA busy_timeout = ${limitMs}; PRAGMA cache_size = -256`);
      try {
        return sql.transaction(work);
      } finally {
        sql.exec(`PRAGMA busy_timeout = ${waitMs}; PRAGMA cache_size = -2000`);
      }
    });
  }

  #trying<Result>(work: (sql: Sql) => Result, use: 'read' | 'written' = 'written'): Result {
    try {
      return work(connection(this.path));
    } catch (error) {
      if (this.name === undefined) throw error;
      const failed = `${this.name} ${this.path} cannot be ${use}`;
      throw fileTrouble(error, failed, use === 'written' ? this.hint : undefined);
    }
  }
}

/** Runs `read` on what is there: it waits for nobody, upgrades nothing and creates no file. */
export function withoutWriting<Result>(paths: Paths, read: () => Result): Result {
  const { path } = new StateDatabase(paths);
  if (!existsSync(path)) return read();
  // Without a log nobody is writing. Reading it as `ro` would create one.
  const mode = existsSync(`${path}-wal`) ? 'mode=ro' : 'immutable=1';
  opened?.sql.close();
  const sql = new Sql(`${pathToFileURL(path).href}?${mode}`, 0);
  opened = { path, sql, isReadOnly: true };
  try {
    sql.exec('PRAGMA temp_store = MEMORY');
    return read();
  } finally {
    sql.close();
    opened = undefined;
  }
}

function connection(path: string): Sql {
  if (opened?.path === path && existsSync(path)) return opened.sql;
  opened?.sql.close();
  opened = undefined;
  const sql = openDatabase(path, {
    version: versions.length,
    upgrade: (version) => versions.slice(version).join(';'),
    // Without the second, macOS leaves the last writes in the cache of the disk.
    pragmas: 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON',
    waitMs,
    otherVersion: () =>
      new LocalFileError(`${path} was written by a newer svc`, {
        hint: 'update svc, or set SVC_CONFIG_DIR to another folder',
      }),
  });
  opened = { path, sql, isReadOnly: false };
  return sql;
}
