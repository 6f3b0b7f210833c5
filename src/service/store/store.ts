/** The service's file, safe between processes: WAL, a busy timeout, write lock first. */
import * as z from 'zod/mini';
import type { Brand } from '../../contract/brand.js';
import { messageOf } from '../failure.js';
import { hashKey, seededAccounts, seededKeys } from '../keys.js';
import { openDatabase, type Sql } from '../../lib/sql.js';
import { accounts, keys, schemaVersion, storeSchema } from './tables.js';

export class StoreError extends Error {
  override readonly name = 'StoreError';
}

export interface StoreOptions {
  path: string;
  brand: Brand;
  /** The balance of a new funded account, in micro-roubles. */
  openingMicroRub: number;
  nowMs: number;
}

/** Opens the store, and creates its tables and seeded keys if they are missing. */
export function openStore(options: StoreOptions): Sql {
  const { path } = options;
  try {
    const sql = openDatabase(path, {
      version: schemaVersion,
      upgrade: (version) => (version === 0 ? storeSchema() : undefined),
      // A debit writes six pages, so they are small. Only moving the log into the file waits for
      // the disk: seldom, at 40 MB.
      pragmas:
        'PRAGMA page_size = 1024; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 40000',
      otherVersion: (version) => {
        const [whose, what] =
          version > schemaVersion ? ['a newer', 'update svc, or move'] : ['an older', 'move'];
        const message = `the embedded service's store ${path} was written by ${whose} svc`;
        return new StoreError(`${message}: ${what} the file away`);
      },
    });
    seed(sql, options);
    return sql;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = `the embedded service's store ${path} cannot be used: ${messageOf(error)}`;
    throw new StoreError(message, { cause: error });
  }
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
