/** The ledger as it stands in the file, read past the service. */
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../../src/lib/sql.js';

const Account = z.object({
  id: z.string(),
  opening: z.number(),
  balance: z.number(),
  spent: z.number(),
});
const Id = z.object({ id: z.string() });
const Check = z.object({ integrity_check: z.string() });

/** Opening balance, balance and the sum of the records of each account, and all record ids. */
export function readLedger(path: string) {
  const sql = new Sql(path);
  const accounts = sql.all(
    Account,
    `SELECT id, opening_micro_rub AS opening, balance_micro_rub AS balance,
       (SELECT coalesce(sum(price_micro_rub), 0) FROM usage WHERE account_id = accounts.id) AS spent
     FROM accounts ORDER BY id`,
  );
  const ids = sql.all(Id, 'SELECT id FROM usage').map(({ id }) => id);
  const integrity = sql.get(Check, 'PRAGMA integrity_check')?.integrity_check;
  sql.close();
  return { accounts, ids, integrity };
}

/**
 * The records of a store, once it is sure that they and the balances say the same: on every
 * account the opening balance less all prices is what is left.
 */
export function balancedRecords(path: string): string[] {
  const { accounts, ids, integrity } = readLedger(path);
  expect(integrity).toBe('ok');
  expect(accounts.length).toBeGreaterThan(0);
  for (const { id, opening, balance, spent } of accounts) {
    expect({ id, balance }).toEqual({ id, balance: opening - spent });
    expect(balance).toBeGreaterThanOrEqual(0);
  }
  return ids;
}
