/** The outcome of an attempt, and whether it may be repeated. */
import type { RetryClass } from '../contract/endpoint.js';
import type { AttemptFailed, FailureReason } from './types.js';

export type AttemptOutcome =
  | { readonly failure: AttemptFailed }
  | { readonly status: number; readonly retryAfterMs: number | undefined };

/** Whether another attempt may succeed without a second charge. */
export function mayRepeat(retry: RetryClass, outcome: AttemptOutcome): boolean {
  if ('failure' in outcome) {
    const { reason, sent } = outcome.failure;
    return passing.has(reason) && (retry !== 'never' || !sent);
  }
  // A 429 of the service itself (see `send`) precedes any work; a 5xx may follow work.
  const { status } = outcome;
  return status === 429 || (retry !== 'never' && [408, 500, 502, 503, 504].includes(status));
}

/** Not included: unknown names, bad certificates, refused logins and answers that are not HTTP persist. */
const passing = new Set<FailureReason>([
  ...(['connect', 'connect-timeout', 'reset', 'first-byte-timeout'] as const),
  ...(['truncated', 'idle-timeout', 'unwanted'] as const),
]);

/** With full jitter, so that many clients do not come back together. @param random from 0 to 1 */
export function backOffMs(attempt: number, random: number, maxMs: number): number {
  return random * Math.min(maxMs, 500 * 2 ** (attempt - 1));
}

/** svc does not start a longer wait: the error says how long it would be. */
export const maxWaitMs = 86_400_000;

/** From Retry-After: seconds, or an HTTP date. An invalid value is Infinity. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts nearly anything, even `-5` and `1.5`: only HTTP dates count.
  const isDate = /^[A-Za-z]{3,9},? /.test(text);
  // The form of asctime names no zone: it is GMT, and not that of this machine.
  const at = isDate ? Date.parse(/[a-z]$/i.test(text) ? text : `${text} GMT`) : NaN;
  return Number.isNaN(at) ? Infinity : Math.max(0, at - nowMs);
}
