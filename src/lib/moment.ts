/** Moments as people write them: a date, a time, or how long ago. Days and months are those of UTC. */

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/**
 * `7d`, `24h`, `2026-11`, `2026-11-01`, `2026-11-01T10:00`, with or without a zone, in
 * milliseconds since the epoch; undefined when it is none of them.
 * @param edge which end of the day, month or minute is meant; the end belongs to it.
 */
export function parseMoment(
  text: string,
  nowMs: number,
  edge: 'start' | 'end',
): number | undefined {
  const trimmed = text.trim();
  const ago = /^(\d{1,6})([mhdw])$/.exec(trimmed);
  if (ago) return inTime(nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0));
  const span = spanOf(trimmed);
  if (!span) return undefined;
  return edge === 'start' ? span.fromMs : span.untilMs - 1;
}

/** The day in UTC of a moment: `2026-11-01`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

interface Span {
  readonly fromMs: number;
  /** The first millisecond after it. */
  readonly untilMs: number;
}

const form =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i;

function spanOf(text: string): Span | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const date = [Number(year), Number(month) - 1, Number(day ?? 1)] as const;
  const time = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)] as const;
  const localMs = Date.UTC(...date, ...time);
  // Date.UTC takes the 30th of February for the 2nd of March, and the year 99 for 1999.
  if (!isSame(new Date(localMs), date, time)) return undefined;
  const offsetMs = zoneMs(zone);
  if (offsetMs === undefined) return undefined;
  const fromMs = localMs - offsetMs + Math.floor(Number(`0${fraction ?? ''}`) * 1000);
  return { fromMs, untilMs: afterSpan(fromMs, date, { day, hour, second, fraction }) };
}

function afterSpan(
  fromMs: number,
  [year, month]: readonly [number, number, number],
  given: Readonly<Record<'day' | 'hour' | 'second' | 'fraction', string | undefined>>,
): number {
  if (given.day === undefined) return Date.UTC(year, month + 1, 1);
  if (given.hour === undefined) return fromMs + 86_400_000;
  if (given.second === undefined) return fromMs + 60_000;
  return fromMs + (given.fraction === undefined ? 1000 : 1);
}

function isSame(
  found: Date,
  [year, month, day]: readonly [number, number, number],
  [hour, minute, second]: readonly [number, number, number],
): boolean {
  return (
    found.getUTCFullYear() === year &&
    found.getUTCMonth() === month &&
    found.getUTCDate() === day &&
    found.getUTCHours() === hour &&
    found.getUTCMinutes() === minute &&
    found.getUTCSeconds() === second
  );
}

/** How far a zone is ahead of UTC; none is UTC. */
function zoneMs(zone = 'Z'): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Four digits of a year are what the wire has room for. */
function inTime(ms: number): number | undefined {
  return ms >= Date.UTC(0, 0, 1) && ms < Date.UTC(10_000, 0, 1) ? ms : undefined;
}
