/** Decides what comes after an attempt. It knows no clock and sends nothing. */
import type { RetryClass } from '../contract/endpoint.js';
import { AttemptFailed, type BodyCut } from './types.js';

export type Outcome =
  | { readonly failure: AttemptFailed | BodyCut }
  | { readonly status: number; readonly retryAfterMs: number | undefined };

export interface Attempted {
  readonly retry: RetryClass;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly remainingMs: number;
  /** How much of what the service asks for is waited for; up to the deadline when absent. */
  readonly patienceMs?: number;
  readonly random: number;
  readonly maxAttempts?: number;
}

/** A wait is `isAsked` by the service, or our own. */
export type Decision =
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'wait';
      readonly delayMs: number;
      readonly why: string;
      readonly isAsked: boolean;
    };

/**
 * Whether to send again, and after how long: what the service asked for, to the second, or full
 * jitter. A wait that does not fit before the deadline, or into the patience, is not begun.
 */
export function decideRetry(attempted: Attempted): Decision {
  const { retry, attempt, maxAttempts = 3, outcome, random, remainingMs } = attempted;
  const { patienceMs = Infinity } = attempted;
  const mayRepeat =
    'status' in outcome
      ? mayRepeatStatus(retry, outcome.status)
      : passing.has(outcome.failure.reason) && (retry !== 'never' || !hasLeft(outcome.failure));
  const asked = 'status' in outcome ? outcome.retryAfterMs : undefined;
  const isAsked = asked !== undefined;
  const delayMs = asked ?? jitterMs(attempt - 1, random);
  const isTooLong =
    delayMs >= Math.min(remainingMs, longestWaitMs) || (isAsked && delayMs > patienceMs);
  if (attempt >= maxAttempts || !mayRepeat || isTooLong) return { kind: 'stop' };
  const why =
    'status' in outcome
      ? `the service answered ${outcome.status}${isAsked ? ' and asked to wait' : ''}`
      : outcome.failure.message;
  return { kind: 'wait', delayMs, why, isAsked };
}

/** Whether a byte of the request may have arrived. */
export function hasLeft(failure: AttemptFailed | BodyCut): boolean {
  return !(failure instanceof AttemptFailed) || failure.sent;
}

/** Full jitter: `random · min(8 s, 0.5 s · 2ⁿ)`, in milliseconds; n is 0 for the first wait. */
export function jitterMs(n: number, random: number): number {
  return random * Math.min(8000, 500 * 2 ** n);
}

function mayRepeatStatus(retry: RetryClass, status: number): boolean {
  // The pace is judged before any work is done, so nothing was charged whatever the call. A 5xx,
  // even a 503 with Retry-After, may come from something in between after the work began.
  return status === 429 || (retry !== 'never' && [408, 500, 502, 503, 504].includes(status));
}

/** Not among them: an unknown name, a bad certificate, an answer that is not HTTP. They stay. */
const passing = new Set<AttemptFailed['reason'] | BodyCut['reason']>([
  ...(['connect', 'connect-timeout', 'reset', 'first-byte-timeout'] as const),
  ...(['truncated', 'idle-timeout', 'unwanted'] as const),
]);

/** Nobody waits for longer than a day: whoever asked is told how long it would take. */
export const longestWaitMs = 86_400_000;

/** By a Retry-After header: seconds, or an HTTP date. What cannot be read is Infinity. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes nearly anything, `-5` and `1.5` too: only what looks like an HTTP date counts.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? Infinity : Math.max(0, at - nowMs);
}
