/** A lock of the operating system, through SQLite, that ends with its process. */
import { LocalFileError } from '../errors.js';
import { failing } from '../files/file-trouble.js';
import type { Clock } from '../lib/clock.js';
import { isBusy } from '../lib/error-code.js';
import { makeOwn } from '../lib/own-file.js';

export interface LockOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  readonly patienceMs?: number;
}

export async function withLock<Result>(
  lockFile: string,
  { clock, signal, patienceMs = 30_000 }: LockOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const giveUpAt = clock.now() + patienceMs;
  const { Sql } = await import('../lib/sql.js');
  const waitForIt = async () => {
    // Created here, because SQLite would make it readable for others.
    makeOwn(lockFile);
    const sql = new Sql(lockFile, 0);
    try {
      // Without a journal on disk, a full disk does not prevent locking.
      sql.exec('PRAGMA journal_mode = MEMORY');
      for (let spanMs = 4; ; spanMs = Math.min(spanMs * 2, 64)) {
        try {
          sql.exec('BEGIN IMMEDIATE');
          return sql;
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
        if (clock.now() >= giveUpAt) {
          throw new LocalFileError(`another svc has held ${lockFile} for too long`, {
            hint: 'wait for it or stop it, then run the command again',
            code: 'locked',
          });
        }
        // Random, so that no waiter is always late.
        await clock.sleep(1 + clock.random() * spanMs, signal);
      }
    } catch (error) {
      sql.close();
      throw error;
    }
  };
  const hint =
    'nothing was stored or changed: make its folder writable, or free space, then run it again';
  const lock = await waitForIt().catch(failing(`the lock ${lockFile} cannot be acquired`, hint));
  try {
    return await work();
  } finally {
    // close() alone releases the lock only at garbage collection.
    lock.exec('ROLLBACK');
    lock.close();
  }
}
