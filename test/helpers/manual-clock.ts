import type { Clock } from '../../src/lib/clock.js';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only when a test says so, and fixed randomness. */
export class ManualClock implements Clock {
  /** Every sleep that was begun, in milliseconds. */
  readonly sleeps: number[] = [];
  #now: number;
  readonly #random: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor({ now = 1_000_000, random = 0.5 } = {}) {
    this.#now = now;
    this.#random = random;
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.#random;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Sleeps that are still going on. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Lets time pass; sleeps that are due wake. */
  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** A clock on which every sleep is over at once, with its time gone by. */
export class SkippingClock extends ManualClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const slept = super.sleep(ms, signal);
    this.pass(ms);
    return slept;
  }
}

/** How long a call may take, where svc limits it: the balance at the end, and anything longer. */
const isLimit = (ms: number) => ms === 3000 || ms > 15_000;

/** A clock on which waiting between two questions takes no time, and time limits never come. */
export class PollingClock extends ManualClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const slept = super.sleep(ms, signal);
    if (!isLimit(ms)) this.pass(ms);
    return slept;
  }
}
