import { expect, it } from 'vitest';
import type { Sql } from '../../../src/lib/sql.js';
import { usage } from '../../../src/service/store/tables.js';
import { listUsage } from '../../../src/service/store/usage.js';
import { hashKey } from '../../../src/service/keys.js';
import { openTestStore } from '../helpers.js';

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
