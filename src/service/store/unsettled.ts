/** Asked before every call, so it loads nothing of media or voices. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

const Found = z.object({ found: z.number() });

/**
 * Whether time has brought something about that is not written down yet: a job of the account has
 * ended whose end moves money, or a fee of one of its voices is due. An unpaid voice may be paid
 * at any time, so it always counts.
 */
export function hasUnsettled(sql: Sql, accountId: string, nowMs: number): boolean {
  const row = sql.get(
    Found,
    `SELECT 1 AS found FROM (
       SELECT 1 FROM media_jobs
       WHERE account_id = ?1 AND state = 'running' AND moves_money = 1 AND due_at_ms <= ?2
       UNION ALL
       SELECT 1 FROM voices
       WHERE account_id = ?1 AND (next_charge_at_ms <= ?2 OR deletion_at_ms IS NOT NULL)
     ) LIMIT 1`,
    accountId,
    nowMs,
  );
  return row !== undefined;
}
