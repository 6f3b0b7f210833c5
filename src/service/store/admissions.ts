/** Limits of so many calls in a while, which hold between processes and after their ends. */
import * as z from 'zod/mini';
import type { Clock } from '../../lib/clock.js';
import type { Sql } from './sql.js';

export interface Pace {
  /** What is limited; each action is counted by itself. */
  readonly action: 'search' | 'tickets' | 'ticket-messages' | 'voice-samples';
  readonly most: number;
  /** The while, in milliseconds; it moves on with the clock. */
  readonly windowMs: number;
}

const Count = z.object({ count: z.number() });
const Time = z.object({ at_ms: z.number() });

/**
 * Counts one call of an account, unless it already has as many as it may.
 * @returns undefined when it was admitted; otherwise how long to wait, in milliseconds above 0
 */
export function admit(sql: Sql, clock: Clock, accountId: string, pace: Pace): number | undefined {
  return sql.transaction(() => admitWithin(sql, clock, accountId, pace));
}

/** As `admit`, inside a transaction of the caller's. */
export function admitWithin(
  sql: Sql,
  clock: Clock,
  accountId: string,
  pace: Pace,
): number | undefined {
  const waitMs = waitFor(sql, clock, accountId, pace);
  if (waitMs !== undefined) return waitMs;
  sql.run('INSERT INTO admissions VALUES (?, ?, ?)', pace.action, accountId, clock.now());
  return undefined;
}

/**
 * How long an account has to wait before it is admitted, in milliseconds; undefined when it is now.
 * Counts nothing. Inside a transaction of the caller's.
 */
export function waitFor(sql: Sql, clock: Clock, accountId: string, pace: Pace): number | undefined {
  const { action, most, windowMs } = pace;
  // Read under the lock: of two processes, the one that writes later has the later time.
  const nowMs = clock.now();
  // What lies ahead was written before the clock was set back.
  sql.run(
    'DELETE FROM admissions WHERE action = ? AND account_id = ? AND (at_ms <= ? OR at_ms > ?)',
    action,
    accountId,
    nowMs - windowMs,
    nowMs,
  );
  const { count = 0 } =
    sql.get(
      Count,
      'SELECT count(*) AS count FROM admissions WHERE action = ? AND account_id = ?',
      action,
      accountId,
    ) ?? {};
  if (count < most) return undefined;
  const oldest = sql.get(
    Time,
    `SELECT at_ms FROM admissions WHERE action = ? AND account_id = ?
     ORDER BY at_ms DESC LIMIT 1 OFFSET ?`,
    action,
    accountId,
    most - 1,
  );
  return (oldest?.at_ms ?? nowMs) + windowMs - nowMs;
}
