/** How long one attempt may take, in milliseconds: what is in force, and what help shows of it. */
export const defaultTimeouts = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  idleMs: 60_000,
} as const;

/** Until the first byte of an answer that is made while the caller waits. */
export const slowFirstByteMs = 600_000;
