import { ApiError, NetworkError, Pending, TimeoutError } from '../errors.js';
import { maxWaitMs } from '../http/retry.js';
import type { Clock } from '../lib/clock.js';

export interface Polling<State> {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** The current state. Its errors are judged here. @param limitMs how long it may take. */
  readonly ask: (limitMs: number) => Promise<State>;
  readonly isDone: (state: State) => boolean;
  readonly onState?: (state: State) => void;
  readonly onTrouble?: (error: Error, delayMs: number) => void;
  readonly deadlineMs?: number;
  /** The message when the deadline passes, and the hint how to continue. */
  readonly pending: (last: State | undefined) => { message: string; hint: string };
}

/** After this many failures in a row, waiting is unlikely to help. */
const maxUnreadable = 10;

/** The first wait; each is 1.5 times the previous one, up to the last value. */
const minDelayMs = 1000;
const maxDelayMs = 10_000;
const growth = 1.5;
/** Each wait varies by up to this share, so that many clients do not poll in step. */
const jitter = 0.2;
/** One request must not use up all the time, nor outlast it by more than a moment. */
const askMs = 30_000;
const lastLookMs = 1000;

/** The final state; temporary failures are waited out. @throws Pending */
export async function poll<State>(polling: Polling<State>): Promise<State> {
  const { clock, signal, deadlineMs = Infinity } = polling;
  const endsAt = clock.now() + deadlineMs;
  let last: State | undefined;
  let unreadable = 0;
  for (let turn = 0; ; turn += 1) {
    const even = Math.min(maxDelayMs, minDelayMs * growth ** turn);
    let delayMs = even * (1 - jitter + 2 * jitter * clock.random());
    try {
      last = await polling.ask(Math.min(askMs, Math.max(endsAt - clock.now(), lastLookMs)));
      unreadable = 0;
      if (polling.isDone(last)) return last;
      polling.onState?.(last);
    } catch (error) {
      if (!isPassing(error)) throw error;
      unreadable = isUnreadable(error) ? unreadable + 1 : 0;
      if (unreadable >= maxUnreadable) throw error;
      if (error instanceof ApiError) delayMs = Math.max(delayMs, error.retryAfterMs ?? 0);
      polling.onTrouble?.(error, delayMs);
    }
    const remainingMs = endsAt - clock.now();
    // The last poll is at the deadline, not up to ten seconds before it.
    if (remainingMs <= 0) {
      const { message, hint } = polling.pending(last);
      throw new Pending(message, { hint });
    }
    await clock.sleep(Math.min(delayMs, remainingMs), signal);
  }
}

function isPassing(error: unknown): error is ApiError | NetworkError | TimeoutError {
  if (error instanceof NetworkError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  const { retryAfterMs = 0, status } = error;
  return isUnreadable(error) || (passing.has(status) && retryAfterMs < maxWaitMs);
}

/** A success that cannot be parsed, for example an empty one, or a gateway's word for a refusal. */
function isUnreadable(error: unknown): boolean {
  if (!(error instanceof ApiError) || passing.has(error.status)) return false;
  if (error.code === 'not_on_tape') return false;
  return error.isForeign || (error.status < 300 && error.code === 'invalid_reply');
}

/** 501 is not included: it is an answer about the request. */
const passing = new Set([408, 429, 500, 502, 503, 504]);
