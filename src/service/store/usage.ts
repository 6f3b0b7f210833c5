/** The ledger: what was used, and the money taken for it, always together. */
import * as z from 'zod/mini';
import { balanceMicroRub, type Caller } from './accounts.js';
import type { Sql } from './sql.js';

/** One paid call. */
export interface Usage {
  readonly id: string;
  /** The model's public id. */
  readonly model: string;
  /** The channel that served it: `:standard`. */
  readonly route: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Below zero in a record that gives money back. */
  readonly priceMicroRub: number;
  readonly createdAtMs: number;
  /** The record whose price this one gives back. */
  readonly refundOf?: string;
}

/** Whether a call was paid, and what is left either way. */
export interface Debit {
  readonly paid: boolean;
  readonly balanceMicroRub: number;
}

/** Takes the price and writes the record, or does neither when the balance is too low. */
export function debit(sql: Sql, payer: Payer, usage: Usage): Debit {
  return sql.transaction(() => ({
    paid: take(sql, payer, usage),
    balanceMicroRub: balanceMicroRub(sql, payer.accountId),
  }));
}

/** Who pays, and which key the record names. */
export type Payer = Pick<Caller, 'accountId' | 'keyHash'>;

/** As `debit`, inside a transaction of the caller's. @returns whether it was paid */
export function take(sql: Sql, payer: Payer, usage: Usage): boolean {
  const paid =
    sql.run(
      `UPDATE accounts SET balance_micro_rub = balance_micro_rub - ?
       WHERE id = ? AND balance_micro_rub >= ?`,
      usage.priceMicroRub,
      payer.accountId,
      usage.priceMicroRub,
    ) === 1;
  if (paid) record(sql, payer, usage);
  return paid;
}

/**
 * Gives the price of a record back, inside a transaction of the caller's, as a record of its own.
 * The store refuses to give anything back twice.
 */
export function giveBack(
  sql: Sql,
  payer: Payer,
  usageId: string,
  refund: Pick<Usage, 'id' | 'createdAtMs'>,
): void {
  const taken = findUsage(sql, payer.accountId, usageId);
  if (!taken || taken.priceMicroRub === 0) return;
  record(sql, payer, {
    ...taken,
    ...refund,
    promptTokens: 0,
    completionTokens: 0,
    priceMicroRub: -taken.priceMicroRub,
    refundOf: usageId,
  });
  sql.run(
    'UPDATE accounts SET balance_micro_rub = balance_micro_rub + ? WHERE id = ?',
    taken.priceMicroRub,
    payer.accountId,
  );
}

function record(sql: Sql, payer: Payer, usage: Usage): void {
  sql.run(
    `INSERT INTO usage (id, account_id, key_hash, model, route, prompt_tokens,
       completion_tokens, price_micro_rub, created_at_ms, refund_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    usage.id,
    payer.accountId,
    payer.keyHash,
    usage.model,
    usage.route,
    usage.promptTokens,
    usage.completionTokens,
    usage.priceMicroRub,
    usage.createdAtMs,
    usage.refundOf ?? null,
  );
}

/** A row of the table as a record. */
export const UsageRow = z.pipe(
  z.object({
    id: z.string(),
    model: z.string(),
    route: z.string(),
    prompt_tokens: z.number(),
    completion_tokens: z.number(),
    price_micro_rub: z.number(),
    created_at_ms: z.number(),
    refund_of: z.nullable(z.string()),
  }),
  z.transform((row): Usage => ({
    id: row.id,
    model: row.model,
    route: row.route,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    priceMicroRub: row.price_micro_rub,
    createdAtMs: row.created_at_ms,
    ...(row.refund_of === null ? {} : { refundOf: row.refund_of }),
  })),
);

/** A record by its id, for its owner alone. */
export function findUsage(sql: Sql, accountId: string, id: string): Usage | undefined {
  return sql.get(UsageRow, 'SELECT * FROM usage WHERE id = ? AND account_id = ?', id, accountId);
}

const Sums = z.object({ requests: z.number(), price_micro_rub: z.number() });

export interface KeyTotals {
  readonly requests: number;
  readonly priceMicroRub: number;
}

/** What a key has used since a time. */
export function keyTotals(sql: Sql, keyHash: string, sinceMs: number): KeyTotals {
  const row = sql.get(
    Sums,
    `SELECT count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       coalesce(sum(price_micro_rub), 0) AS price_micro_rub
     FROM usage WHERE key_hash = ? AND created_at_ms >= ?`,
    keyHash,
    sinceMs,
  );
  return { requests: row?.requests ?? 0, priceMicroRub: row?.price_micro_rub ?? 0 };
}

const KeyUsageRow = z.object({
  key_name: z.string(),
  model: z.string(),
  route: z.string(),
  requests: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  price_micro_rub: z.number(),
});

export type KeyUsage = z.output<typeof KeyUsageRow>;

/** An account's use by key, model and route. */
export function usageByKey(sql: Sql, accountId: string): KeyUsage[] {
  return sql.all(
    KeyUsageRow,
    `SELECT keys.name AS key_name, model, route,
       count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
       sum(price_micro_rub) AS price_micro_rub
     FROM usage JOIN keys ON keys.hash = usage.key_hash
     WHERE usage.account_id = ?
     GROUP BY keys.hash, model, route
     ORDER BY key_name, model, route`,
    accountId,
  );
}
