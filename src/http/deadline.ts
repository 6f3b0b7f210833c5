/** The time limits of one attempt, and of a call from its first attempt to its last byte. */
import type { RetryClass } from '../contract/endpoint.js';
import { TimeoutError } from '../errors.js';
import { longestTimerMs, type Clock, type TimeLimit } from '../lib/clock.js';
import {
  defaultTimeouts,
  durationWords,
  slowFirstByteMs,
  usualRetryWaitMs,
} from '../lib/duration.js';
import { backOffMs, mayRepeat, maxWaitMs, type AttemptOutcome } from './retry.js';
import { AttemptFailed, BodyCut } from './types.js';
import type { HttpResponse, Observe, Timeouts, Wait } from './types.js';

/** @param changed by the user; overrides the longer limit of slow answers too. */
export function timeoutsFor(slow: boolean, changed: Partial<Timeouts> = {}): Timeouts {
  const { connectMs, firstByteMs, idleMs } = defaultTimeouts;
  return {
    connectMs: changed.connectMs ?? connectMs,
    firstByteMs: changed.firstByteMs ?? (slow ? slowFirstByteMs : firstByteMs),
    idleMs: changed.idleMs ?? idleMs,
  };
}

export const noTimer = (): void => undefined;

/** Calls `late` after `ms` unless the returned function is called first. 0 means no limit. */
export function limit(ms: number, late: () => void): () => void {
  if (ms <= 0) return noTimer;
  const timer = setTimeout(late, Math.min(ms, longestTimerMs)).unref();
  return () => clearTimeout(timer);
}

interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeLimit?: TimeLimit | undefined;
}

/** A signal that also aborts, with a TimeoutError, when --timeout has passed; `end` stops the timer. */
export function startLimit({ clock, signal, timeLimit }: Waiting) {
  if (!timeLimit) return { signal, end: noTimer };
  const [late, done] = [new AbortController(), new AbortController()];
  const details = { code: 'deadline', hint: 'run it again with a longer --timeout' } as const;
  const words = `not finished within ${durationWords(timeLimit.ms)}`;
  clock.sleep(timeLimit.leftMs(), done.signal).then(
    () => late.abort(new TimeoutError(words, details)),
    () => undefined,
  );
  return { signal: AbortSignal.any([signal, late.signal]), end: () => done.abort() };
}

/** Waits for what is not a call, such as a program, within --timeout. @throws TimeoutError at its end */
export async function inTime<Result>(
  waiting: Waiting,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, end } = startLimit(waiting);
  return work(signal).finally(end);
}

export interface Limited {
  readonly clock: Clock;
  readonly deadlineMs?: number;
  /** The limit of all waits that the service asks for, without a deadline. */
  readonly retryWaitMs?: number;
  readonly signal?: AbortSignal;
  readonly observe?: Observe;
}

/** Aborts its `signal` when time is up. Free of cost without a limit. */
export class Deadline {
  readonly signal: AbortSignal | undefined;
  isOver = false;
  readonly #at: number;
  readonly #limited: Limited;
  readonly #done: AbortController | undefined;
  #patienceMs: number;

  constructor(limited: Limited) {
    const { clock, deadlineMs, retryWaitMs = usualRetryWaitMs, signal } = limited;
    this.#limited = limited;
    this.#patienceMs = deadlineMs === undefined ? retryWaitMs : Infinity;
    this.#at = clock.now() + (deadlineMs ?? Infinity);
    if (deadlineMs === undefined) return;
    this.isOver = deadlineMs <= 0;
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

  /** When to send again: as the service asks, or with full jitter, within the deadline. */
  decide(
    retry: RetryClass,
    attempt: number,
    outcome: AttemptOutcome,
    maxAttempts = 3,
  ): Wait | undefined {
    const { clock } = this.#limited;
    const requestedMs = 'status' in outcome ? outcome.retryAfterMs : undefined;
    const isRequested = requestedMs !== undefined;
    const delayMs = requestedMs ?? backOffMs(attempt, clock.random(), 8000);
    const isTooLong =
      delayMs >= Math.min(this.#at - clock.now(), maxWaitMs) ||
      (isRequested && delayMs > this.#patienceMs);
    if (attempt >= maxAttempts || !mayRepeat(retry, outcome) || isTooLong) return undefined;
    const why =
      'status' in outcome
        ? `the service answered ${outcome.status}${isRequested ? ' and asked to wait' : ''}`
        : outcome.failure.message;
    return { kind: 'wait', delayMs, why, isRequested };
  }

  async wait(wait: Wait, hasLeft: boolean): Promise<void> {
    const { clock, observe, signal } = this.#limited;
    const { delayMs, isRequested } = wait;
    if (isRequested) this.#patienceMs -= delayMs;
    observe?.(wait);
    try {
      await clock.sleep(delayMs, signal);
    } catch (cause) {
      throw new AttemptFailed('aborted', hasLeft, 'aborted', cause);
    }
  }

  failure(cause: AttemptFailed): AttemptFailed {
    return this.isOver ? new AttemptFailed('deadline', cause.sent, this.#words, cause) : cause;
  }

  /** The body must arrive in time too; its end also ends the deadline. */
  over(response: HttpResponse): HttpResponse {
    if (this.signal === undefined) return response;
    return {
      ...response,
      pipe: async (sink, memory) => {
        try {
          await response.pipe(sink, memory);
        } catch (error) {
          const isLate = this.isOver && error instanceof BodyCut;
          throw isLate ? new BodyCut('deadline', this.#words, error) : error;
        } finally {
          this.end();
        }
      },
      discard: () => {
        this.end();
        response.discard();
      },
    };
  }

  get #words(): string {
    return `not finished within ${durationWords(this.#limited.deadlineMs ?? 0)}`;
  }

  end(): void {
    this.#done?.abort();
  }
}
