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

const form =
  /^(\d{4}-\d\d)(?:(-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?$/i;

/** `untilMs` is the first millisecond after it. */
function spanOf(text: string) {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, month = '', day, minute, second, fraction, zone] = match;
  const local = `${month}${day ?? '-01'}T${minute ?? '00:00'}${second ?? ':00'}`;
  const localMs = Date.parse(`${local}Z`);
  const offsetMs = zoneMs(zone);
  // Date.parse takes the 30th of February for the 2nd of March.
  if (offsetMs === undefined || isoSeconds(localMs) !== local) return undefined;
  const fromMs = localMs - offsetMs + Math.floor(Number(`0${fraction ?? ''}`) * 1000);
  if (day === undefined) {
    return { fromMs, untilMs: new Date(fromMs).setUTCMonth(Number(month.slice(5))) };
  }
  if (minute === undefined) return { fromMs, untilMs: fromMs + 86_400_000 };
  if (second === undefined) return { fromMs, untilMs: fromMs + 60_000 };
  return { fromMs, untilMs: fromMs + (fraction === undefined ? 1000 : 1) };
}

function isoSeconds(ms: number): string | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 19);
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
