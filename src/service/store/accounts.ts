/** Who calls, and what is left to them. */
import * as z from 'zod/mini';
import { hashKey } from '../keys.js';
import type { Sql } from './sql.js';

/** A key of the store, as a call comes with it. */
export interface Caller {
  readonly keyHash: string;
  readonly keyName: string;
  readonly accountId: string;
  readonly allowList: readonly string[];
  readonly retryAfterS: number | null;
  readonly sandbox: boolean;
}

const AllowList = z.array(z.string());
const KeyRow = z.object({
  hash: z.string(),
  name: z.string(),
  account_id: z.string(),
  allow_list: z.string(),
  retry_after_s: z.nullable(z.number()),
  sandbox: z.number(),
});

/** The owner of a key, or undefined when the store does not know it. */
export function findCaller(sql: Sql, key: string): Caller | undefined {
  const row = sql.get(KeyRow, 'SELECT * FROM keys WHERE hash = ?', hashKey(key));
  if (!row) return undefined;
  return {
    keyHash: row.hash,
    keyName: row.name,
    accountId: row.account_id,
    allowList: AllowList.parse(JSON.parse(row.allow_list)),
    retryAfterS: row.retry_after_s,
    sandbox: row.sandbox === 1,
  };
}

const AccountRow = z.object({ id: z.string() });

/** The owner of an account, who comes without a key; undefined when there is no such account. */
export function accountCaller(sql: Sql, accountId: string): Caller | undefined {
  const row = sql.get(AccountRow, 'SELECT id FROM accounts WHERE id = ?', accountId);
  if (!row) return undefined;
  return {
    keyHash: '',
    keyName: '',
    accountId: row.id,
    allowList: [],
    retryAfterS: null,
    sandbox: false,
  };
}

const BalanceRow = z.object({ balance_micro_rub: z.number() });

/** What is left on an account, in micro-roubles. */
export function balanceMicroRub(sql: Sql, accountId: string): number {
  const row = sql.get(BalanceRow, 'SELECT balance_micro_rub FROM accounts WHERE id = ?', accountId);
  return row?.balance_micro_rub ?? 0;
}
