import { describe, expect, it } from 'vitest';
import { hashKey } from '../../../src/service/keys.js';
import type { Sql } from '../../../src/lib/sql.js';
import { listUsage, type UsageFilter } from '../../../src/service/store/usage.js';
import { openTestStore } from '../helpers.js';

/** Writes a record for each time, under the names `first`, `first + 1`, … */
function write(sql: Sql, times: readonly number[], first = 0, key = 'local'): void {
  const account = key === 'local' ? 'local' : 'sandbox';
  sql.transaction(() => {
    for (const [nth, time] of times.entries()) {
      sql.run(
        `INSERT INTO usage (id, account_id, key_hash, model, route, prompt_tokens,
           completion_tokens, price_micro_rub, created_at_ms)
         VALUES (?, ?, ?, 'm', ':standard', 1, 2, 3, ?)`,
        String(first + nth),
        account,
        hashKey(`sk-svc-${key}`),
        time,
      );
    }
  });
}

const everything: UsageFilter = { accountId: 'local', fromMs: 0, toMs: 1e15 };

function page(sql: Sql, nth: number, limit: number, filter = everything) {
  const { records, total } = listUsage(sql, filter, nth, limit);
  return { ids: records.map(({ id }) => Number(id)), total };
}

/** Every page until one is empty. */
function walk(sql: Sql, limit: number, filter = everything): number[] {
  const ids: number[] = [];
  for (let nth = 1; ; nth += 1) {
    const found = page(sql, nth, limit, filter).ids;
    if (found.length === 0) return ids;
    ids.push(...found);
  }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
/** Records in pairs of the same time, with others' between them. */
const times = range(0, 40).map((nth) => 1000 + Math.floor(nth / 2));

function filled(): Sql {
  const sql = openTestStore();
  write(sql, times.slice(0, 25));
  write(sql, times, 1000, 'local-sandbox');
  write(sql, times.slice(25), 25);
  return sql;
}

describe('listUsage', () => {
  it.each([1, 7, 40, 41])('walks over all, newest first, %d a page', (limit) => {
    expect(walk(filled(), limit)).toEqual(range(0, 40).reverse());
  });

  it('finds what lies in a range, and counts what comes during a walk', () => {
    const sql = filled();
    const early = { ...everything, toMs: 1009 };
    expect(page(sql, 1, 5, early)).toEqual({ ids: [19, 18, 17, 16, 15], total: 20 });
    expect(walk(sql, 3, { ...everything, fromMs: 1005, toMs: 1006 })).toEqual([13, 12, 11, 10]);
    write(sql, [5000, 1], 50);
    write(sql, [6000], 2000, 'local-sandbox');
    const all = [50, ...range(0, 40).reverse(), 51];
    expect(page(sql, 2, 10)).toEqual({ ids: all.slice(10, 20), total: 42 });
    expect(walk(sql, 10)).toEqual(all);
  });

  it('takes any page number, however large, and finds nothing where there is nothing', () => {
    const sql = openTestStore();
    expect(page(sql, 1, 20)).toEqual({ ids: [], total: 0 });
    expect(page(sql, 2, 20)).toEqual({ ids: [], total: 0 });
    write(sql, [1]);
    expect(page(sql, Number.MAX_SAFE_INTEGER, 100)).toEqual({ ids: [], total: 1 });
    expect(page(sql, 1, 20)).toEqual({ ids: [0], total: 1 });
  });
});
