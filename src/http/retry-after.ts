/** How long an answer asks its caller to wait. */

/** Nobody waits for longer than a day: whoever asked is told how long it would take. */
export const longestWaitMs = 86_400_000;

/**
 * Milliseconds to wait by a Retry-After header: whole seconds, or an HTTP date (then from
 * `nowMs`, milliseconds since the epoch). A date that has passed is 0; what cannot be read is
 * Infinity, so that nobody guesses.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes nearly anything, `-5` and `1.5` too: only what looks like an HTTP date counts.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return Infinity;
  const at = Date.parse(text);
  return Number.isNaN(at) ? Infinity : Math.max(0, at - nowMs);
}
