import { join } from 'node:path';
import { expect, it } from 'vitest';
import { admit, type Pace } from '../../../src/service/store/accounts.js';
import type { Sql } from '../../../src/lib/sql.js';
import { testFolder } from '../../helpers/folder.js';
import { FakeClock, openTestStore } from '../helpers.js';

const pace: Pace = { action: 'search', max: 2, windowMs: 1000 };

/** What `admit` says at each time. */
function at(sql: Sql, ...times: number[]) {
  return times.map((ms) => admit(sql, new FakeClock(ms), 'local', pace));
}

it('admit counts each account by itself, and both handles of a file together', () => {
  const path = join(testFolder(), 'local.sqlite');
  const [one, other] = [openTestStore(path), openTestStore(path)];
  expect([...at(one, 5), ...at(other, 6), ...at(one, 7)]).toEqual([undefined, undefined, 998]);
  expect(admit(one, new FakeClock(7), 'sandbox', pace)).toBeUndefined();
});

it('admit forgets times that lie ahead', () => {
  expect(at(openTestStore(), 1_000_000, 1_000_000, 5, 5, 5)).toEqual([
    ...[undefined, undefined],
    ...[undefined, undefined, 1000],
  ]);
});
