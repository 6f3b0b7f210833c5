const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30` (seconds), `30s`, `5m`, `250ms`, `1.5h` in milliseconds; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (!match) return undefined;
  const durationMs = Number(match[1]) * (unitMs[match[2] ?? 's'] ?? 1000);
  // Timers of the platform hold 31 bits of milliseconds.
  return durationMs > 0 && durationMs < 2 ** 31 ? durationMs : undefined;
}
