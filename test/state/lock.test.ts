import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/lib/clock.js';
import { withLock } from '../../src/state/lock.js';
import { testFolder } from '../helpers/folder.js';

const options = { clock: systemClock };

it('a lock lets one in at a time', async () => {
  const file = join(testFolder(), 'lock');
  const order: string[] = [];
  const enter = (name: string) =>
    withLock(file, options, async () => {
      order.push(`${name} in`);
      await new Promise(setImmediate);
      order.push(`${name} out`);
    });
  await Promise.all(['a', 'b', 'c'].map(enter));
  expect(order.join()).toMatch(/^(?:(\w) in,\1 out,?){3}$/);
});

it('a lock gives up in time when another keeps it, and says so', async () => {
  const file = join(testFolder(), 'lock');
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    random: () => 0.5,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
  await withLock(file, options, async () => {
    await expect(withLock(file, { clock, patienceMs: 500 }, () => 1)).rejects.toMatchObject({
      name: 'LocalFileError',
      code: 'locked',
      message: `another svc has held ${file} for too long`,
    });
  });
  expect(nowMs).toBeGreaterThanOrEqual(500);
  expect(nowMs).toBeLessThan(600);
});

it('a lock stops waiting when the user interrupts', async () => {
  const file = join(testFolder(), 'lock');
  const stop = new AbortController();
  await withLock(file, options, async () => {
    const waiting = withLock(file, { clock: systemClock, signal: stop.signal }, () => 1);
    stop.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow('interrupted');
  });
});
