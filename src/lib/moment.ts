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
    const midnight = new Date(calendarAt(nowMs).day.startMs);
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

/** From one midnight of the reader to a later one, whatever number of hours is between them. */
export interface CalendarSpan {
  readonly startMs: number;
  /** The start of what follows. */
  readonly endMs: number;
}

/** The reader's day and calendar month at a moment. */
export function calendarAt(ms: number): Readonly<Record<'day' | 'month', CalendarSpan>> {
  const date = new Date(ms);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  const span = (start: Date, end: Date) => ({ startMs: start.getTime(), endMs: end.getTime() });
  return {
    day: span(new Date(year, month, day), new Date(year, month, day + 1)),
    month: span(new Date(year, month), new Date(year, month + 1)),
  };
}

/** The reader's time zone at a moment: `Europe/Moscow`, or `UTC+05:30` where it has no name. */
export function timeZoneAt(ms: number): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // Of a TZ that it does not know, Node 20 has no name and others say Etc/Unknown; by the signs of
  // POSIX, Etc/GMT-3 is UTC+03:00.
  if (/^(?!Etc\/)[A-Z]/.test(timeZone)) return timeZone;
  const minutes = -new Date(ms).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const ahead = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

/** The reader's day of a moment: `2026-11-01`. */
export function dayOf(ms: number): string {
  return localMoment(ms).slice(0, 10);
}

/** A moment in the reader's time zone: `2026-11-01 09:30`. */
export function localMoment(ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
