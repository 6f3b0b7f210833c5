import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { withLock } from '../../src/state/lock.js';
import { testFolder } from '../helpers/folder.js';
import { SkippingClock } from '../helpers/manual-clock.js';

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
  const clock = new SkippingClock({ now: 0 });
  await withLock(file, options, async () => {
    await expect(withLock(file, { clock, patienceMs: 500 }, () => 1)).rejects.toMatchObject({
      name: 'LocalFileError',
      code: 'locked',
      message: `another svc has held ${file} for too long`,
    });
  });
  expect(clock.now()).toBeGreaterThanOrEqual(500);
  expect(clock.now()).toBeLessThan(600);
});

it('a lock keeps other processes out while this one waits for it a second time', async () => {
  const file = join(testFolder(), 'lock');
  await withLock(file, options, async () => {
    const again = withLock(file, { ...options, patienceMs: 0 }, () => 1);
    await expect(again).rejects.toMatchObject({ code: 'locked' });
    const script = 'new (require("libsql"))(process.argv[1]).exec("BEGIN IMMEDIATE")';
    const { stderr } = spawnSync(process.execPath, ['-e', script, file], { encoding: 'utf8' });
    expect(stderr).toContain('SQLITE_BUSY');
  });
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
