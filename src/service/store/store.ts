/** The service's one file, safe between processes: WAL, a busy timeout, write lock first. */
import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import type { Brand } from '../../contract/brand.js';
import { hashKey, seededAccounts, seededKeys } from '../keys.js';
import { isBusy, Sql } from '../../lib/sql.js';
import { accounts, keys, schemaVersion, storeSchema } from './tables.js';
import { makeFolder, openOwn } from '../../lib/own-file.js';

export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export interface StoreOptions {
  path: string;
  brand: Brand;
  /** What a new funded account starts with, in micro-roubles. */
  openingMicroRub: number;
  nowMs: number;
}

/** Opens the store, makes its tables when it is new, and sees that the seeded keys are in it. */
export function openStore(options: StoreOptions): Sql {
  try {
    if (options.path !== ':memory:') makeFile(options.path);
    const sql = new Sql(options.path);
    try {
      if (options.path !== ':memory:') useWriteAheadLog(sql);
      prepare(sql, options.path);
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
  // Only moving the log into the file waits for the disk: seldom, at 40 MB.
  sql.exec('PRAGMA wal_autocheckpoint = 10000');
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

function versionOf(sql: Sql): number {
  return sql.number('PRAGMA user_version') ?? 0;
}

function prepare(sql: Sql, path: string): void {
  if (versionOf(sql) === 0) {
    sql.transaction(() => {
      // Read again: another process may have been faster to the lock.
      if (versionOf(sql) === 0) {
        sql.exec(`${storeSchema()} PRAGMA user_version = ${schemaVersion}`);
      }
    });
  }
  const version = versionOf(sql);
  if (version === schemaVersion) return;
  const [whose, what] =
    version > schemaVersion ? ['a newer', 'update svc, or move'] : ['an older', 'move'];
  throw new StoreError(
    `the embedded service's store ${path} was written by ${whose} svc: ${what} the file away`,
  );
}

const Hash = z.object({ hash: z.string() });

function seed(sql: Sql, { brand, openingMicroRub, nowMs }: StoreOptions): void {
  const known = new Set(sql.all(Hash, 'SELECT hash FROM keys').map((row) => row.hash));
  const missing = seededKeys
    .map((key) => ({ ...key, hash: hashKey(brand.keyPrefix + key.name) }))
    .filter((key) => !known.has(key.hash));
  if (missing.length === 0) return;
  const createdAtMs = nowMs;
  sql.transaction(() => {
    for (const [id, funded] of Object.entries(seededAccounts)) {
      const opening = funded ? openingMicroRub : 0;
      const account = { id, openingMicroRub: opening, balanceMicroRub: opening, createdAtMs };
      accounts.insert(sql, account, 'OR IGNORE');
    }
    for (const { hash, name, account, allowList = [], retryAfterS, sandbox = false } of missing) {
      const key = { hash, name, accountId: account, allowList, retryAfterS, sandbox, createdAtMs };
      keys.insert(sql, key, 'OR IGNORE');
    }
  });
}
