import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';

describe('the clock of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 5000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('sleeps for longer than one timer of the system can', async () => {
    let awake = false;
    const sleep = systemClock.sleep(2 ** 32).then(() => (awake = true));
    await vi.advanceTimersByTimeAsync(2 ** 32 - 1);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
  });

  test('wakes at once when it is aborted, with the reason, and leaves no timer', async () => {
    const stop = new AbortController();
    const sleep = systemClock.sleep(100, stop.signal);
    const reason = new RangeError('enough');
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
