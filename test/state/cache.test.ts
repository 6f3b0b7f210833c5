import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../src/lib/sql.js';
import { KeptAnswers } from '../../src/state/cache.js';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';

const hour = 3_600_000;
const whole = () => Promise.resolve(true);
const answer = (body: string | Buffer) => {
  return { status: 200, headers: { 'x-svc-request-id': 'r' }, body: Buffer.from(body) };
};

function opened() {
  const paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
  const clock = new ManualClock();
  const cache = (ttlMs = hour) => new KeptAnswers(paths, clock, ttlMs);
  const sizes = () =>
    new StateDatabase(paths).all(
      z.object({ key: z.string(), bytes: z.number() }),
      'SELECT key, bytes FROM cache ORDER BY id',
    );
  return { cache, clock, paths, sizes };
}

it('gives an answer byte for byte, and only what was whole', async () => {
  const { cache } = opened();
  const bytes = Buffer.from([0, 255, 10, 13, 0xc3, 0x28]);
  const one = cache();
  one.keep('a', answer(bytes), whole);
  one.keep('b', answer('x'), () => Promise.resolve(false));
  one.keep('c', answer('x'), () => Promise.reject(new Error('no answer')));
  expect(one.find('a')).toBeUndefined();
  await one.flush();
  expect(cache().find('a')).toEqual(answer(bytes));
  expect(['b', 'c', 'd'].map((key) => cache().find(key))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('makes no file by looking for an answer', () => {
  const { cache, paths } = opened();
  expect(cache().find('a')).toBeUndefined();
  expect(new StateDatabase(paths).all(z.unknown(), 'SELECT 1')).toEqual([]);
});

it('removes what is over when it writes, and what a wrong clock has kept', async () => {
  const { cache, clock, sizes } = opened();
  const keep = async (key: string, ttlMs: number) => {
    const one = cache(ttlMs);
    one.keep(key, answer(key), whole);
    await one.flush();
  };
  await keep('short', hour);
  await keep('long', 10 * hour);
  clock.pass(2 * hour);
  await keep('new', hour);
  expect(sizes().map(({ key }) => key)).toEqual(['long', 'new']);
  clock.pass(-hour);
  await keep('newest', hour);
  expect(sizes().map(({ key }) => key)).toEqual(['long', 'newest']);
});

it('keeps 64 MB at most, of which the oldest go, and 8 MB of one answer', async () => {
  const { cache, clock, sizes } = opened();
  const one = cache();
  const large = Buffer.alloc(7 * 1024 * 1024);
  for (let nth = 0; nth < 12; nth += 1) {
    clock.pass(1);
    one.keep(`large-${nth}`, answer(large), whole);
    await one.flush();
    expect(sizes().reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(64 * 1024 * 1024);
  }
  expect(sizes().at(-1)?.key).toBe('large-11');
  expect(cache().find('large-0')).toBeUndefined();
  one.keep('huge', answer(Buffer.alloc(8 * 1024 * 1024 + 1)), whole);
  await one.flush();
  expect(cache().find('huge')).toBeUndefined();
});

it('writes in between where much is waiting, and forgets also what it has written', async () => {
  const { cache, sizes } = opened();
  const one = cache();
  for (let nth = 0; nth < 300; nth += 1) one.keep(`k${nth}`, answer('x'), whole);
  one.keep('wrong', answer(Buffer.alloc(2 * 1024 * 1024)), whole);
  one.forget();
  await one.flush();
  const keys = sizes().map(({ key }) => key);
  expect(keys).toContain('k0');
  expect(keys).not.toContain('wrong');
  expect(cache().find('k0')).toBeDefined();
});

it('waits half a second for a writer, and then does without', async () => {
  const { cache, paths } = opened();
  const one = cache();
  one.keep('a', answer('x'), whole);
  await one.flush();
  const other = new Sql(new StateDatabase(paths).path);
  other.exec('BEGIN IMMEDIATE');
  one.keep('b', answer('x'), whole);
  await one.flush();
  other.exec('ROLLBACK');
  other.close();
  expect(one.find('a')).toBeUndefined();
  expect(cache().find('a')).toBeDefined();
  expect(cache().find('b')).toBeUndefined();
});

it('is for several processes at once', async () => {
  const { cache } = opened();
  const [one, other] = [cache(), cache()];
  one.keep('a', answer('1'), whole);
  other.keep('a', answer('2'), whole);
  other.keep('b', answer('3'), whole);
  await Promise.all([one.flush(), other.flush()]);
  expect(one.find('b')).toEqual(answer('3'));
  expect(cache().find('a')).toEqual(answer('2'));
});
