/** A thin, typed wrapper of SQLite: rows are parsed, statements are prepared once. */
import { dirname } from 'node:path';
import type * as z from 'zod/mini';
import { codeOf, isBusy } from './error-code.js';
import { recordOf } from './json.js';
import { makeFolder, makeOwn } from './own-file.js';
import { SqliteEngine, type Engine, type Statement, type Value } from './sqlite-engine.js';

export type { Value };

export class Sql {
  readonly #db: Engine;
  readonly #statements = new Map<string, Statement>();
  #isWithin = false;
  #isOpen = true;
  /** How many statements of this connection may have changed rows. */
  writes = 0;

  /** @param waitMs how long a statement waits for another process's transaction. */
  constructor(path: string, waitMs = 5000) {
    this.#db = new SqliteEngine(path, { timeout: waitMs });
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
    return this.#rows(sql, values).map((value) => row.parse(value));
  }

  number(sql: string, ...values: Value[]): number | undefined {
    const [value] = Object.values(recordOf(this.#prepare(sql).get(...values)));
    return typeof value === 'number' ? value : undefined;
  }

  run(sql: string, ...values: Value[]): number {
    this.writes += 1;
    return Number(this.#prepare(sql, true).run(...values).changes);
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
      try {
        this.run('ROLLBACK');
      } catch {
        // A failed COMMIT may have ended the transaction already.
      }
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#isOpen) this.#db.close();
    this.#isOpen = false;
  }

  /** What a service counts, tokens, may exceed 2^53, which node:sqlite reads only as bigint. */
  #rows(sql: string, values: Value[]): unknown[] {
    const statement = this.#prepare(sql);
    try {
      return statement.all(...values);
    } catch (error) {
      if (codeOf(error) !== 'ERR_OUT_OF_RANGE') throw error;
      statement.setReadBigInts?.(true);
      const number = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
      const plain = (row: unknown) =>
        Object.fromEntries(Object.entries(recordOf(row)).map(([key, one]) => [key, number(one)]));
      return statement.all(...values).map(plain);
    }
  }

  #prepare(sql: string, isRun = false): Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    // With the changes comes the last row id, and those of a full-text index exceed 2^53.
    statement.setReadBigInts?.(isRun);
    return statement;
  }
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
