/** Time as clients and the service spend it, made quick or held still. */
import { onTestFinished, vi } from 'vitest';
import type { Clock } from '../../../src/lib/clock.js';

/** Longer timers are limits on a whole call, not waits. */
const longestWaitMs = 100_000;
const inPackage = /node_modules\/(?:openai|openai-4|@anthropic-ai)\//;

/**
 * Ends every wait of the packages at once while the running test lasts; gives the lengths of
 * the waits in milliseconds, in order.
 */
export function hurryWaits(): readonly number[] {
  const waits: number[] = [];
  const later = globalThis.setTimeout;
  vi.stubGlobal('setTimeout', (work: () => void, ms = 0) => {
    const isWait = ms < longestWaitMs && inPackage.test(new Error().stack ?? '');
    if (isWait) waits.push(ms);
    return later(work, isWait ? 0 : ms);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return waits;
}

/** A clock on which nobody wakes: who sleeps is there until its signal says to stop. */
export class HeldClock implements Clock {
  #tellBegun: () => void = () => undefined;
  #tellStopped: () => void = () => undefined;
  /** Resolves when someone begins to sleep. */
  readonly begun = new Promise<void>((resolve) => {
    this.#tellBegun = resolve;
  });
  /** Resolves when a sleep was broken off. */
  readonly stopped = new Promise<void>((resolve) => {
    this.#tellStopped = resolve;
  });

  now(): number {
    return Date.UTC(2026, 0, 15, 12);
  }

  random(): number {
    return 0.5;
  }

  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((_, reject) => {
      const stop = () => {
        this.#tellStopped();
        reject(new Error('the sleep was broken off'));
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
      this.#tellBegun();
    });
  }
}
