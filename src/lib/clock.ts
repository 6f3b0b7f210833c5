/** Time and randomness, injected so that tests neither sleep nor guess. */
export interface Clock {
  now(): number;
  /** Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: async (ms, signal) => {
    let leftMs = ms;
    for (; leftMs > longestTimerMs; leftMs -= longestTimerMs) await nap(longestTimerMs, signal);
    await nap(leftMs, signal);
  },
};

/** The same clock where nothing has to be waited for, such as the state of a job on a tape. */
export const withShortSleep = (clock: Clock): Clock => ({
  now: () => clock.now(),
  random: () => clock.random(),
  sleep: (ms, signal) => clock.sleep(Math.min(ms, 10), signal),
});

/** A limit of all that a command waits for: it begins with the first wait, not while svc loads. */
export class TimeLimit {
  readonly ms: number;
  readonly #clock: Clock;
  #endsAtMs: number | undefined;

  constructor(ms: number, clock: Clock) {
    this.ms = ms;
    this.#clock = clock;
  }

  /** Begins again with the next wait. */
  restart(): void {
    this.#endsAtMs = undefined;
  }

  /** Gives the time back that was no wait, such as that of a person who answers a question. */
  extend(ms: number): void {
    if (this.#endsAtMs !== undefined) this.#endsAtMs += ms;
  }

  /** 0 when it has passed. */
  leftMs(): number {
    const nowMs = this.#clock.now();
    this.#endsAtMs ??= nowMs + this.ms;
    return Math.max(0, this.#endsAtMs - nowMs);
  }
}

/** A longer timer would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      const reason: unknown = signal?.reason;
      reject(reason instanceof Error ? reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
