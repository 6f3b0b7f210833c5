/** Lengths of time: as people write them, and the limits that are in force. */

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30` (seconds), `30s`, `5m`, `250ms`, `1.5h` in milliseconds; undefined when it is none. */
export function parseDuration(text: string, canBeZero = false): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (!match) return undefined;
  const durationMs = Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 1000);
  // Timers of the platform hold 31 bits of milliseconds.
  const isLong = durationMs > 0 || canBeZero;
  return isLong && durationMs < 2 ** 31 ? durationMs : undefined;
}

const hourMs = 3_600_000;

export function durationText(ms: number): string {
  if (ms % 1000 !== 0) return `${String(ms)}ms`;
  if (ms % hourMs === 0 && ms > hourMs) return `${String(ms / hourMs)}h`;
  return ms % 60_000 === 0 && ms > 60_000 ? `${String(ms / 60_000)}m` : `${String(ms / 1000)}s`;
}

/** For a person: `30 s`, `250 ms`; from two hours on `3 h`, from two days on `5 days`. */
export function durationWords(ms: number): string {
  if (ms >= 48 * hourMs) return `${String(Math.round(ms / (24 * hourMs)))} days`;
  if (ms >= 2 * hourMs) return `${String(Math.round(ms / hourMs))} h`;
  return ms < 1000 ? `${String(Math.ceil(ms))} ms` : `${String(Math.round(ms / 100) / 10)} s`;
}

/** How long one attempt may take, in milliseconds: what is in force, and what help shows of it. */
export const defaultTimeouts = { connectMs: 10_000, firstByteMs: 60_000, idleMs: 60_000 } as const;

/** How long in all a service may have a call without a deadline wait: Retry-After. */
export const usualRetryWaitMs = 60_000;

/** Until the first byte of an answer that is made while the caller waits. */
export const slowFirstByteMs = 600_000;

/** A length of time for people: `8 s`, `1:05`, `1:02:09`. */
export function formatElapsed(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  if (total < 60) return `${String(total)} s`;
  const clock = new Date(total * 1000).toISOString().slice(14, 19);
  const hours = Math.floor(total / 3600);
  return hours === 0 ? clock.replace(/^0/, '') : `${String(hours)}:${clock}`;
}

/** How long ago something was, in its largest unit: `45 s`, `12 min`, `5 h`, `3 d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${String(seconds)} s`;
  if (seconds < 3600) return `${String(Math.floor(seconds / 60))} min`;
  if (seconds < 86_400) return `${String(Math.floor(seconds / 3600))} h`;
  return `${String(Math.floor(seconds / 86_400))} d`;
}
