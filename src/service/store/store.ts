/**
 * The service's one file. Safe between processes: WAL, a busy timeout, and every change inside
 * a transaction that takes the write lock first.
 */
import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import type { Brand } from '../../contract/brand.js';
import { hashKey, seededAccounts, seededKeys } from '../keys.js';
import { migrations } from './migrations.js';
import { isBusy, Sql } from './sql.js';
import { makeFolder, openOwn } from '../../lib/own-file.js';

/** The store cannot be used; the message names the file and says why. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export interface StoreOptions {
  /** A file, made when it is not there, or `:memory:`. */
  path: string;
  brand: Brand;
  /** What a new funded account starts with, in micro-roubles. */
  openingMicroRub: number;
  nowMs: number;
}

/**
 * Opens the store, brings it to today's shape and makes sure that the seeded keys are in it.
 * @throws StoreError when the file is no store, was written by a newer svc, or is out of reach
 */
export function openStore(options: StoreOptions): Sql {
  try {
    if (options.path !== ':memory:') makeFile(options.path);
    const sql = new Sql(options.path);
    try {
      if (options.path !== ':memory:') useWriteAheadLog(sql);
      migrate(sql, options.path);
      seed(sql, options);
      return sql;
    } catch (error) {
      sql.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreError(`the embedded service's store ${options.path} cannot be used: ${why}`, {
      cause: error,
    });
  }
}

/** Makes the file for its owner alone; SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  makeFolder(dirname(path));
  closeSync(openOwn(path, 'make'));
}

const JournalMode = z.object({ journal_mode: z.string() });

/** Turning WAL on needs the file alone and does not wait by itself, so this waits. */
function useWriteAheadLog(sql: Sql): void {
  sql.exec('PRAGMA synchronous = NORMAL');
  for (let attempt = 0; ; attempt += 1) {
    try {
      const mode = sql.get(JournalMode, 'PRAGMA journal_mode = WAL')?.journal_mode;
      if (mode === 'wal') return;
      throw new StoreError(`the file system offers no write-ahead log (it gives ${mode})`);
    } catch (error) {
      if (attempt >= 200 || !isBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
    }
  }
}

const Version = z.object({ user_version: z.number() });

function versionOf(sql: Sql): number {
  return sql.get(Version, 'PRAGMA user_version')?.user_version ?? 0;
}

function migrate(sql: Sql, path: string): void {
  const version = versionOf(sql);
  if (version === migrations.length) return;
  if (version > migrations.length) {
    throw new StoreError(
      `the embedded service's store ${path} was written by a newer svc: update svc, or move the file away`,
    );
  }
  sql.transaction(() => {
    // Read again: another process may have been faster to the lock.
    for (const step of migrations.slice(versionOf(sql))) sql.exec(step);
    sql.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

const Hash = z.object({ hash: z.string() });

function seed(sql: Sql, { brand, openingMicroRub, nowMs }: StoreOptions): void {
  const known = new Set(sql.all(Hash, 'SELECT hash FROM keys').map((row) => row.hash));
  const missing = seededKeys
    .map((key) => ({ ...key, hash: hashKey(brand.keyPrefix + key.name) }))
    .filter((key) => !known.has(key.hash));
  if (missing.length === 0) return;
  sql.transaction(() => {
    for (const { id, funded } of seededAccounts) {
      const opening = funded ? openingMicroRub : 0;
      sql.run('INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?)', id, opening, opening, nowMs);
    }
    for (const key of missing) {
      sql.run(
        'INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)',
        key.hash,
        key.name,
        key.account,
        JSON.stringify(key.allowList ?? []),
        key.retryAfterS ?? null,
        key.sandbox ? 1 : 0,
        nowMs,
      );
    }
  });
}
