/** Moments as people write them: a date, a time, or how long ago. Days are those of the reader's clock. */

export const dayMs = 86_400_000;
const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 7 * dayMs,
};

const form =
  /^(\d{4}-\d\d)(?:(-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i;

/**
 * `today`, `yesterday`, `7d`, `24h`, `2026-11`, `2026-11-01`, `2026-11-01T10:00`, with or without a zone, in milliseconds
 * since the epoch. @param edge which end of the day, month or minute is meant.
 */
export function parseMoment(
  text: string,
  nowMs: number,
  edge: 'start' | 'end',
): number | undefined {
  const trimmed = text.trim();
  const daysAgo = ['today', 'yesterday'].indexOf(trimmed.toLowerCase());
  if (daysAgo !== -1) {
    const midnight = new Date(nowMs);
    midnight.setHours(0, 0, 0, 0);
    // A day may have 23 or 25 hours.
    midnight.setDate(midnight.getDate() - daysAgo + (edge === 'start' ? 0 : 1));
    return midnight.getTime() - (edge === 'start' ? 0 : 1);
  }
  const ago = /^(\d{1,6})([mhdw])$/.exec(trimmed);
  if (ago) {
    const ms = nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0);
    // Four digits of a year are what the wire has room for.
    return ms >= Date.UTC(0, 0, 1) && ms < Date.UTC(10_000, 0, 1) ? ms : undefined;
  }
  const match = form.exec(trimmed);
  if (!match) return undefined;
  const [, month = '', day, minute, second, fraction, zone = ''] = match;
  const local = `${month}${day ?? '-01'}T${minute ?? '00:00'}${second ?? ':00'}`;
  const utcMs = Date.parse(`${local}Z`);
  // Date.parse takes the 30th of February for the 2nd of March.
  if (Number.isNaN(utcMs) || !new Date(utcMs).toISOString().startsWith(local)) return undefined;
  const fromMs = Date.parse(local + zone) + Math.floor(Number(`0${fraction ?? ''}`) * 1000);
  if (Number.isNaN(fromMs)) return undefined;
  if (edge === 'start' || fraction !== undefined) return fromMs;
  if (second !== undefined) return fromMs + 999;
  if (minute !== undefined) return fromMs + 59_999;
  const from = new Date(fromMs);
  if (day !== undefined) return from.setDate(from.getDate() + 1) - 1;
  return from.setMonth(from.getMonth() + 1) - 1;
}

/** The reader's day of a moment: `2026-11-01`. */
export function dayOf(ms: number): string {
  return localMoment(ms).slice(0, 10);
}

/** A moment in the reader's time zone: `2026-11-01 09:30`. */
export function localMoment(ms: number): string {
  const date = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
