/** The range of time that --since and --until name. */
import type { UsageRange } from '../../api/billing.js';
import { UsageError } from '../../errors.js';
import { parseMoment } from '../../lib/moment.js';
import { plainText } from '../../lib/plain-text.js';

export interface RangeOptions {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/** @throws UsageError when one is no time, or they are the wrong way round. */
export function rangeFrom({ since, until }: RangeOptions, nowMs: number): UsageRange {
  const fromMs = momentOf('--since', since, nowMs, 'start');
  const untilMs = momentOf('--until', until, nowMs, 'end');
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs) {
    const told = [fromMs, untilMs].map((ms) => new Date(ms).toISOString());
    throw new UsageError(`--since is after --until: ${told.join(' and ')}`, {
      code: 'bad_range',
      hint: 'swap them',
    });
  }
  return { fromMs, untilMs };
}

function momentOf(
  flag: string,
  text: string | undefined,
  nowMs: number,
  edge: 'start' | 'end',
): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseMoment(text, nowMs, edge);
  if (ms !== undefined) return ms;
  throw new UsageError(`${flag} is no date or time: ${JSON.stringify(plainText(text, 60))}`, {
    code: 'bad_date',
    hint: 'write 7d, 24h, 2026-11-01, 2026-11 or 2026-11-01T10:00Z; days are those of UTC',
  });
}
