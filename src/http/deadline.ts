/** The total time of a call, with all its attempts and waits. */
import type { Clock } from '../lib/clock.js';
import { durationWords } from '../lib/duration.js';
import { AttemptFailed, type BodyCut } from './types.js';

interface Limited {
  readonly clock: Clock;
  /** undefined is no limit. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Whether a byte of the request may have arrived. */
export function hasLeft(failure: AttemptFailed | BodyCut): boolean {
  return !(failure instanceof AttemptFailed) || failure.sent;
}

/** Aborts its `signal` when time is up. It costs nothing when there is no limit. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  isOver = false;
  readonly #at: number;
  readonly #deadlineMs: number | undefined;
  readonly #clock: Clock;
  readonly #done: AbortController | undefined;

  constructor({ clock, deadlineMs, signal }: Limited) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#at = clock.now() + (deadlineMs ?? Infinity);
    if (deadlineMs === undefined) return;
    const late = new AbortController();
    this.#done = new AbortController();
    this.signal = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    clock.sleep(deadlineMs, this.#done.signal).then(
      () => {
        this.isOver = true;
        late.abort();
      },
      () => undefined,
    );
  }

  get remainingMs(): number {
    return this.#at - this.#clock.now();
  }

  /** The failure that the deadline itself brought about. */
  failure(cause: AttemptFailed | BodyCut): AttemptFailed {
    const words = `not done within ${durationWords(this.#deadlineMs ?? 0)}`;
    return new AttemptFailed('deadline', hasLeft(cause), words, cause);
  }

  end(): void {
    this.#done?.abort();
  }
}
