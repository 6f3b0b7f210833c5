/** The outcome of an attempt, and whether it may be repeated. */
import type { RetryClass } from '../contract/endpoint.js';
import type { AttemptFailed, FailureReason } from './types.js';

export type Outcome =
  | { readonly failure: AttemptFailed }
  | { readonly status: number; readonly retryAfterMs: number | undefined };

/** Whether another attempt may do what this one did not, and repeats no charge. */
export function mayRepeat(retry: RetryClass, outcome: Outcome): boolean {
  if ('failure' in outcome) {
    const { reason, sent } = outcome.failure;
    return passing.has(reason) && (retry !== 'never' || !sent);
  }
  // A 429 comes before any work, so nothing was charged; a 5xx may come after the work began.
  const { status } = outcome;
  return status === 429 || (retry !== 'never' && [408, 500, 502, 503, 504].includes(status));
}

/** Not among them: an unknown name, a bad certificate, an answer that is not HTTP. They persist. */
const passing = new Set<FailureReason>([
  ...(['connect', 'connect-timeout', 'reset', 'first-byte-timeout'] as const),
  ...(['truncated', 'idle-timeout', 'unwanted'] as const),
]);

/** A longer wait is not begun: the error says how long it would take. */
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
