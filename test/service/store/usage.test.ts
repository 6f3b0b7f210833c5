import { expect, it, vi } from 'vitest';
import type { Sql } from '../../../src/lib/sql.js';
import { usage } from '../../../src/service/store/tables.js';
import { balanceMicroRub, findCaller } from '../../../src/service/store/accounts.js';
import { debitTogether, findUsage, listUsage } from '../../../src/service/store/usage.js';
import { hashKey } from '../../../src/service/keys.js';
import { keys, openTestStore } from '../helpers.js';

const limit = 3;

/** Writes a record, of another account too, whose time may be older than those before it. */
function write(sql: Sql, nth: number): void {
  const [accountId, key] = nth % 5 === 0 ? ['sandbox', 'local-sandbox'] : ['local', 'local'];
  const call = { id: `gen_${nth}`, model: 'local/echo', route: ':standard' };
  const price = { promptTokens: 0, completionTokens: 0, priceMicroRub: 1 };
  const createdAtMs = (nth * 7919) % 97;
  const keyHash = hashKey(`sk-svc-${key}`);
  usage.insert(sql, { ...call, ...price, accountId, keyHash, createdAtMs });
}

it('listUsage returns the page of all records so far, whatever was read and written before', () => {
  const sql = openTestStore();
  for (let nth = 0; nth < 400; nth += 1) {
    write(sql, nth);
    const [fromMs, toMs] = nth % 3 === 0 ? [20, 61] : [0, 97];
    const page = nth % 4 === 0 ? 1 + ((nth * 31) % 40) : 1 + ((nth >> 2) % 20);
    const { records, total } = listUsage(sql, { accountId: 'local', fromMs, toMs }, page, limit);
    const all = usage
      .all(sql, { accountId: 'local' })
      .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs)
      .sort((one, other) => other.createdAtMs - one.createdAtMs || other.seq - one.seq);
    const expected = all.slice((page - 1) * limit, page * limit);
    expect([records, total], `page ${page} of ${nth} records`).toEqual([expected, all.length]);
  }
});

/** Charges at the same time, by id and price, and tells the outcome of each. */
function chargedTogether(sql: Sql, ...charges: readonly (readonly [string, number])[]) {
  const caller = findCaller(sql, keys.local);
  if (!caller) throw new Error('the key is not in the store');
  const call = { model: 'local/echo', route: ':standard', createdAtMs: 7 };
  const tokens = { promptTokens: 1, completionTokens: 1 };
  return Promise.allSettled(
    charges.map(([id, priceMicroRub]) =>
      debitTogether(sql, caller, { id, ...call, ...tokens, priceMicroRub }),
    ),
  );
}

const [paid, unpaid] = [true, false].map((value) => ({ status: 'fulfilled', value }));

it('debitTogether writes what arrives together at once, and refuses only what is too dear', async () => {
  const sql = openTestStore();
  const runs = vi.spyOn(sql, 'run');
  const outcomes = await chargedTogether(sql, ['gen_1', 6e5], ['gen_2', 5e5], ['gen_3', 4e5]);
  expect(outcomes).toEqual([paid, unpaid, paid]);
  expect(runs.mock.calls.filter(([text]) => text === 'COMMIT')).toHaveLength(1);
  expect(balanceMicroRub(sql, 'local')).toBe(0);
  expect(
    ['gen_1', 'gen_2', 'gen_3'].map((id) => findUsage(sql, 'local', id)?.priceMicroRub),
  ).toEqual([6e5, undefined, 4e5]);
});

it('debitTogether writes each record whole, whatever the order of its fields', async () => {
  const sql = openTestStore();
  const caller = findCaller(sql, keys.local);
  if (!caller) throw new Error('the key is not in the store');
  const one = {
    id: 'gen_1',
    model: 'local/echo',
    route: ':a',
    promptTokens: 1,
    completionTokens: 2,
  };
  const other = { id: 'gen_2', route: ':b', model: '1.10', completionTokens: 4, promptTokens: 3 };
  const records = [
    { ...one, priceMicroRub: 5, createdAtMs: 6 },
    { ...other, createdAtMs: 8, priceMicroRub: 7 },
  ];
  await Promise.all(records.map((record) => debitTogether(sql, caller, record)));
  expect(records.map(({ id }) => findUsage(sql, 'local', id))).toMatchObject(records);
  expect(balanceMicroRub(sql, 'local')).toBe(1e6 - 12);
});

it('debitTogether charges the others when one record cannot be written', async () => {
  const sql = openTestStore();
  const outcomes = await chargedTogether(sql, ['gen_1', 10], ['gen_1', 20], ['gen_2', 30]);
  const refused = { status: 'rejected', reason: expect.any(Error) };
  expect(outcomes).toEqual([paid, refused, paid]);
  expect(balanceMicroRub(sql, 'local')).toBe(1e6 - 40);
});

it('debitTogether charges nothing when the store is busy, and waits for it only once', async () => {
  const sql = openTestStore();
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  const runs = vi.spyOn(sql, 'run').mockImplementation(() => {
    throw busy;
  });
  const refused = { status: 'rejected', reason: busy };
  expect(await chargedTogether(sql, ['gen_1', 10], ['gen_2', 20])).toEqual([refused, refused]);
  expect(runs).toHaveBeenCalledTimes(1);
  runs.mockRestore();
  expect(balanceMicroRub(sql, 'local')).toBe(1e6);
});
