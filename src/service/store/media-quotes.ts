/** Prices that were promised (section 3.5). */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

export interface Quote {
  readonly id: string;
  readonly accountId: string;
  /** Of what was priced. */
  readonly orderHash: string;
  /** The channel it holds for. */
  readonly channel: string;
  readonly priceMicroRub: number;
  readonly expiresAtMs: number;
  /** The job that consumed it. */
  readonly jobId?: string;
}

const Row = z.pipe(
  z.object({
    id: z.string(),
    account_id: z.string(),
    order_hash: z.string(),
    channel: z.string(),
    price_micro_rub: z.number(),
    expires_at_ms: z.number(),
    job_id: z.nullable(z.string()),
  }),
  z.transform((row): Quote => ({
    id: row.id,
    accountId: row.account_id,
    orderHash: row.order_hash,
    channel: row.channel,
    priceMicroRub: row.price_micro_rub,
    expiresAtMs: row.expires_at_ms,
    ...(row.job_id === null ? {} : { jobId: row.job_id }),
  })),
);

/** How long after its end a quote can still be called stale, and is not just unknown. */
const rememberedMs = 24 * 60 * 60 * 1000;

/** Keeps a quote, and forgets those that ended long ago. */
export function addQuote(sql: Sql, quote: Quote, nowMs: number): void {
  sql.transaction(() => {
    sql.run('DELETE FROM media_quotes WHERE expires_at_ms < ?', nowMs - rememberedMs);
    sql.run(
      'INSERT INTO media_quotes VALUES (?, ?, ?, ?, ?, ?, NULL)',
      quote.id,
      quote.accountId,
      quote.orderHash,
      quote.channel,
      quote.priceMicroRub,
      quote.expiresAtMs,
    );
  });
}

/** A quote by its id, for its owner alone. */
export function findQuote(sql: Sql, accountId: string, id: string): Quote | undefined {
  return sql.get(Row, 'SELECT * FROM media_quotes WHERE id = ? AND account_id = ?', id, accountId);
}

/** Marks a quote as used, inside a transaction of the caller's. */
export function consumeQuote(sql: Sql, id: string, jobId: string): void {
  sql.run('UPDATE media_quotes SET job_id = ? WHERE id = ?', jobId, id);
}
