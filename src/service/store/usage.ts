/** The ledger: usage and its charges, always together. */
import * as z from 'zod/mini';
import type { Caller } from './accounts.js';
import type { Sql } from '../../lib/sql.js';
import { balanceRule, usage as table, type Usage as UsageRow } from './tables.js';

export type Usage = Omit<UsageRow, 'seq' | 'accountId' | 'keyHash'>;

export type Payer = Pick<Caller, 'accountId' | 'keyHash'>;

/** Charges by writing the record; false, without either, when the balance is too low. */
export function debit(sql: Sql, { accountId, keyHash }: Payer, usage: Usage): boolean {
  try {
    table.insert(sql, { ...usage, accountId, keyHash });
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes(balanceRule)) return false;
    throw error;
  }
}

/** Refunds a record, once, as a record of its own. */
export function giveBack(
  sql: Sql,
  payer: Payer,
  usageId: string,
  refund: Pick<Usage, 'id' | 'createdAtMs'>,
): void {
  const taken = findUsage(sql, payer.accountId, usageId);
  if (!taken || taken.priceMicroRub === 0) return;
  const { model, route, priceMicroRub } = taken;
  const unused = { promptTokens: 0, completionTokens: 0, priceMicroRub: -priceMicroRub };
  debit(sql, payer, { model, route, ...refund, ...unused, refundOf: usageId });
}

export function findUsage(sql: Sql, accountId: string, id: string): Usage | undefined {
  return table.find(sql, { id, accountId });
}

const Sums = z.object({ requests: z.number(), priceMicroRub: z.number() });

export function keyTotals(sql: Sql, keyHash: string, sinceMs: number): z.output<typeof Sums> {
  const sums = sql.get(
    Sums,
    `SELECT count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       coalesce(sum(price_micro_rub), 0) AS priceMicroRub
     FROM usage WHERE key_hash = ? AND created_at_ms >= ?`,
    ...[keyHash, sinceMs],
  );
  return sums ?? { requests: 0, priceMicroRub: 0 };
}

const KeyUsage = z.object({
  key: z.string(),
  model: z.string(),
  route: z.string(),
  requests: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  priceMicroRub: z.number(),
});

export function usageByKey(sql: Sql, accountId: string): z.output<typeof KeyUsage>[] {
  return sql.all(
    KeyUsage,
    `SELECT keys.name AS key, model, route,
       count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       sum(prompt_tokens) AS promptTokens, sum(completion_tokens) AS completionTokens,
       sum(price_micro_rub) AS priceMicroRub
     FROM usage JOIN keys ON keys.hash = usage.key_hash
     WHERE usage.account_id = ?
     GROUP BY keys.hash, model, route
     ORDER BY key, model, route`,
    accountId,
  );
}

interface UsageFilter {
  readonly accountId: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A page of an account's records, newest first; pages start at 1. */
export function listUsage(sql: Sql, filter: UsageFilter, page: number, limit: number) {
  const { accountId, fromMs, toMs } = filter;
  const inRange = 'created_at_ms BETWEEN ? AND ?';
  const counting = `SELECT count(*) FROM usage WHERE account_id = ? AND ${inRange}`;
  const order = `AND ${inRange} ORDER BY created_at_ms DESC, seq DESC LIMIT ? OFFSET ?`;
  const values = [fromMs, toMs, limit, (page - 1) * limit];
  return {
    records: table.all(sql, { accountId }, order, ...values),
    total: sql.number(counting, accountId, fromMs, toMs) ?? 0,
  };
}
