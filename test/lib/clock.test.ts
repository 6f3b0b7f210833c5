import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';

describe('the clock of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 5000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('sleeps as long as it was told', async () => {
    let awake = false;
    const sleep = systemClock.sleep(100).then(() => (awake = true));
    await vi.advanceTimersByTimeAsync(99);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
  });

  test('sleeps for longer than one timer of the system can', async () => {
    let awake = false;
    const sleep = systemClock.sleep(2 ** 32).then(() => (awake = true));
    await vi.advanceTimersByTimeAsync(2 ** 32 - 1);
    expect(awake).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sleep;
  });

  test('wakes at once when it is told to stop, with the reason, and leaves no timer', async () => {
    const stop = new AbortController();
    const sleep = systemClock.sleep(100, stop.signal);
    const reason = new RangeError('enough');
    stop.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not fall asleep when it was told to stop before', async () => {
    const reason = new RangeError('enough');
    await expect(systemClock.sleep(100, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no listener behind once it has slept', async () => {
    const stop = new AbortController();
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const sleep = systemClock.sleep(10, stop.signal);
    await vi.advanceTimersByTimeAsync(10);
    await sleep;
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });
});
