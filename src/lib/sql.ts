/** A thin, typed wrapper of SQLite: rows are parsed, statements are prepared once. */
import { dirname } from 'node:path';
import Database from 'libsql';
import type * as z from 'zod/mini';
import { codeOf } from './error-code.js';
import { makeFolder, makeOwn } from './own-file.js';

export type Value = string | number | Uint8Array | null;

export class Sql {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  #isWithin = false;
  /** How many statements of this connection may have changed rows. */
  writes = 0;

  /** @param waitMs how long a statement waits for another process's transaction. */
  constructor(path: string, waitMs = 5000) {
    this.#db = new Database(path, { timeout: waitMs });
  }

  get<Row extends z.ZodMiniType>(
    row: Row,
    sql: string,
    ...values: Value[]
  ): z.output<Row> | undefined {
    const value = this.#prepare(sql).get(...values);
    return value === undefined ? undefined : row.parse(value);
  }

  all<Row extends z.ZodMiniType>(row: Row, sql: string, ...values: Value[]): z.output<Row>[] {
    return this.#prepare(sql)
      .all(...values)
      .map((value) => row.parse(value));
  }

  number(sql: string, ...values: Value[]): number | undefined {
    const value: unknown = this.#prepare(sql, true).get(...values);
    return Array.isArray(value) && typeof value[0] === 'number' ? value[0] : undefined;
  }

  run(sql: string, ...values: Value[]): number {
    this.writes += 1;
    return this.#prepare(sql).run(...values).changes;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Holds the write lock; rolls back when `work` throws. A nested one is part of the outer one. */
  transaction<Result>(work: () => Result): Result {
    if (this.#isWithin) return work();
    this.run('BEGIN IMMEDIATE');
    this.#isWithin = true;
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      // A failed COMMIT may have ended the transaction already.
      if (this.#db.inTransaction) this.run('ROLLBACK');
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(sql: string, isRaw = false): Database.Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    if (isRaw) statement.raw();
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Whether another process held the lock for too long; nothing was changed. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error) ?? '');
}

interface Opening {
  readonly version: number;
  /** The SQL that brings a database of an earlier version up to date; a new one has version 0. */
  readonly upgrade: (current: number) => string | undefined;
  readonly pragmas: string;
  readonly waitMs?: number;
  readonly otherVersion: (current: number) => Error;
}

/** Opens a database for many processes and creates its tables: for its owner, or `:memory:`. */
export function openDatabase(path: string, opening: Opening): Sql {
  const { version, upgrade, pragmas, waitMs, otherVersion } = opening;
  if (path !== ':memory:') {
    makeFolder(dirname(path));
    // SQLite gives the files beside it the same mode.
    makeOwn(path);
  }
  const sql = new Sql(path, waitMs);
  try {
    sql.exec(pragmas);
    useWriteAheadLog(sql);
    const current = () => sql.number('PRAGMA user_version') ?? 0;
    if (current() < version) {
      sql.transaction(() => {
        // Another process may have done it first.
        const steps = current() < version ? upgrade(current()) : undefined;
        if (steps !== undefined) sql.exec(`${steps}; PRAGMA user_version = ${version}`);
      });
    }
    if (current() !== version) throw otherVersion(current());
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** WAL needs the whole file and does not wait by itself, so this waits. */
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
