/** The time limits of one attempt, in one place. */
import { defaultTimeouts, slowFirstByteMs } from '../lib/default-timeouts.js';
import type { Timeouts } from './types.js';

/** @param changed what the person set; it wins over the longer limit of slow answers too. */
export function timeoutsFor(slow: boolean, changed: Partial<Timeouts> = {}): Timeouts {
  return {
    connectMs: changed.connectMs ?? defaultTimeouts.connectMs,
    firstByteMs: changed.firstByteMs ?? (slow ? slowFirstByteMs : defaultTimeouts.firstByteMs),
    idleMs: changed.idleMs ?? defaultTimeouts.idleMs,
  };
}

/** What stops a timer that was never set. */
export const noTimer = (): void => undefined;

/**
 * Calls `late` once after `ms`, unless the returned function is called first. 0 is no limit.
 * The timer never keeps the process alive.
 */
export function limit(ms: number, late: () => void): () => void {
  if (ms <= 0) return noTimer;
  // A longer timer would fire at once.
  const timer = setTimeout(late, Math.min(ms, 2 ** 31 - 1)).unref();
  return () => {
    clearTimeout(timer);
  };
}
