import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { admit, type Pace } from '../../../src/service/store/accounts.js';
import type { Sql } from '../../../src/lib/sql.js';
import { testFolder } from '../../helpers/folder.js';
import { FakeClock, openTestStore } from '../helpers.js';

const pace: Pace = { action: 'search', most: 2, windowMs: 1000 };

/** What `admit` says at each time. */
function at(sql: Sql, ...times: number[]) {
  return times.map((ms) => admit(sql, new FakeClock(ms), 'local', pace));
}

describe('admit', () => {
  it('admits a fixed number in any window, wherever it begins', () => {
    expect(at(openTestStore(), 0, 900, 950, 1000, 1500, 1899, 1900)).toEqual([
      ...[undefined, undefined, 50, undefined],
      ...[400, 1, undefined],
    ]);
  });

  it('does not count what it refused', () => {
    const sql = openTestStore();
    at(sql, 0, 0);
    for (let ms = 1; ms < 1000; ms += 100) expect(at(sql, ms)).toEqual([1000 - ms]);
    expect(at(sql, 1000, 1000, 1000)).toEqual([undefined, undefined, 1000]);
  });

  it('counts each account by itself, and both handles of a file together', () => {
    const path = join(testFolder(), 'local.sqlite');
    const [one, other] = [openTestStore(path), openTestStore(path)];
    expect([...at(one, 5), ...at(other, 6), ...at(one, 7)]).toEqual([undefined, undefined, 998]);
    expect(admit(one, new FakeClock(7), 'sandbox', pace)).toBeUndefined();
  });

  it('forgets times that lie ahead', () => {
    expect(at(openTestStore(), 1_000_000, 1_000_000, 5, 5, 5)).toEqual([
      ...[undefined, undefined],
      ...[undefined, undefined, 1000],
    ]);
  });
});
