/** How long one attempt may take, in milliseconds: what is in force, and what help shows of it. */
export const defaultTimeouts = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  idleMs: 60_000,
} as const;

/** How long in all a service may have a call without a deadline wait: Retry-After. */
export const usualRetryWaitMs = 60_000;

/** Until the first byte of an answer that is made while the caller waits. */
export const slowFirstByteMs = 600_000;
