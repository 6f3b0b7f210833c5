/** Asked before every call, so it loads nothing of media. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

const Found = z.object({ found: z.number() });

/** Whether a job of the account has ended whose end moves money that has not moved yet. */
export function hasUnsettled(sql: Sql, accountId: string, nowMs: number): boolean {
  const row = sql.get(
    Found,
    `SELECT 1 AS found FROM media_jobs
     WHERE account_id = ? AND state = 'running' AND moves_money = 1 AND due_at_ms <= ? LIMIT 1`,
    accountId,
    nowMs,
  );
  return row !== undefined;
}
