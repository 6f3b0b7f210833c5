/** A date or a time as the value of an option. */
import { UsageError } from '../errors.js';
import { parseMoment } from '../lib/moment.js';
import { plainText } from '../lib/plain-text.js';

/** @throws UsageError */
export function momentOf(
  flag: string,
  text: string | undefined,
  nowMs: number,
  edge: 'start' | 'end' = 'start',
): number | undefined {
  const ms = text === undefined ? undefined : parseMoment(text, nowMs, edge);
  if (text === undefined || ms !== undefined) return ms;
  throw new UsageError(`${flag} is not a date or time: ${JSON.stringify(plainText(text, 60))}`, {
    code: 'bad_date',
    hint: 'write today, yesterday, 7d, 24h, 2026-11-01, 2026-11 or 2026-11-01T10:00; with Z at the end, it is in UTC',
  });
}
