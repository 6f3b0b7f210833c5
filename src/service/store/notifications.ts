/** Notifications that are to be delivered, kept until they are or are given up. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

export interface Notification {
  readonly id: string;
  /** The job whose end it tells. */
  readonly jobId: string;
  readonly url: string;
  /** How often it was tried. */
  readonly attempts: number;
}

const Row = z.pipe(
  z.object({
    id: z.string(),
    job_id: z.string(),
    url: z.string(),
    attempts: z.number(),
  }),
  z.transform((row): Notification => ({
    id: row.id,
    jobId: row.job_id,
    url: row.url,
    attempts: row.attempts,
  })),
);

/** Adds a notification, inside a transaction of the caller's. */
export function addNotification(
  sql: Sql,
  { id, jobId, url }: Pick<Notification, 'id' | 'jobId' | 'url'>,
  atMs: number,
): void {
  sql.run('INSERT INTO notifications VALUES (?, ?, ?, 0, ?, NULL)', id, jobId, url, atMs);
}

/**
 * Takes the notification that is due first. Nobody else gets it until the lease is over, so one
 * whose sender dies is tried again.
 */
export function claimNotification(
  sql: Sql,
  nowMs: number,
  leaseMs: number,
): Notification | undefined {
  return sql.transaction(() => {
    const due = sql.get(
      Row,
      `SELECT * FROM notifications WHERE next_attempt_at_ms <= ?
       ORDER BY next_attempt_at_ms LIMIT 1`,
      nowMs,
    );
    if (!due) return undefined;
    const attempts = due.attempts + 1;
    sql.run(
      'UPDATE notifications SET attempts = ?, next_attempt_at_ms = ? WHERE id = ?',
      attempts,
      nowMs + leaseMs,
      due.id,
    );
    return { ...due, attempts };
  });
}

/** Writes down how an attempt ended; null as the next one ends the trying. */
export function settleNotification(
  sql: Sql,
  id: string,
  nextAttemptAtMs: number | null,
  outcome: string,
): void {
  sql.run(
    'UPDATE notifications SET next_attempt_at_ms = ?, last_outcome = ? WHERE id = ?',
    nextAttemptAtMs,
    outcome,
    id,
  );
}

const Next = z.object({ at_ms: z.nullable(z.number()) });

/** When the next attempt is due. */
export function nextAttemptMs(sql: Sql): number | undefined {
  const row = sql.get(Next, 'SELECT min(next_attempt_at_ms) AS at_ms FROM notifications');
  return row?.at_ms ?? undefined;
}
