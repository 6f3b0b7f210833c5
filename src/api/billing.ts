/** Usage records, page by page (sections 2.10 and 4.7). */
import type * as z from 'zod/mini';
import { listUsage, type UsageHistory } from '../contract/billing.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { brokenOff, freshPages, tooFew } from './pages.js';

type UsageList = z.output<typeof UsageHistory>;
export type UsageRecord = UsageList['data'][number];

/** In milliseconds; whether both ends are included is up to the service. */
export interface UsageRange {
  readonly fromMs?: number;
  readonly untilMs?: number;
}

export function timesOf({ fromMs, untilMs }: UsageRange): (string | undefined)[] {
  return [fromMs, untilMs].map((ms) => (ms === undefined ? ms : new Date(ms).toISOString()));
}

export async function usagePage(
  client: Client,
  range: UsageRange,
  { page, limit }: { page?: number; limit?: number },
): Promise<UsageList> {
  const [dateFrom, dateTo] = timesOf(range);
  return (await call(client, listUsage, { query: { page, limit, dateFrom, dateTo } })).data;
}

/** After the first page, asks only for what is not newer: new records would shift the pages. */
export async function* usageBatches(client: Client, range: UsageRange, limit: number) {
  let current = range;
  let count = 0;
  let firstTotal: number | undefined;
  let total: number | undefined;
  let last: UsageRecord | undefined;
  const ask = async (number: number) => {
    let page = await usagePage(client, current, { page: number, limit });
    if (current !== range && (page.total ?? 0) < (firstTotal ?? 0)) {
      // This end of the range has excluded records that belong to the first page.
      current = range;
      page = await usagePage(client, current, { page: number, limit });
    }
    const { data } = page;
    total = page.total ?? undefined;
    if (number === 1) {
      firstTotal = total;
      const newest = total === undefined ? undefined : newestMs(data);
      const untilMs = Math.min(newest ?? Infinity, range.untilMs ?? Infinity);
      if (newest !== undefined) current = { ...range, untilMs };
    }
    last = data.at(-1) ?? last;
    // With a total, a short page does not mean the end.
    return { items: data, total, limit: total === undefined ? page.limit : undefined };
  };
  try {
    for await (const records of freshPages(ask, ({ id }) => id)) {
      count += records.length;
      yield { records, count, total };
    }
  } catch (error) {
    if (count === 0) throw error;
    const of = firstTotal === undefined ? '' : ` of ${firstTotal}`;
    const lastMs = Date.parse(last?.createdAt ?? '');
    const until = Number.isNaN(lastMs) ? undefined : new Date(lastMs).toISOString();
    const hint = until && `continue after the last one: --until ${until}`;
    throw brokenOff(error, `${count}${of} records`, hint);
  }
  // Records added in the meantime come before the first page and are not counted.
  const least = Math.min(firstTotal ?? 0, total ?? 0);
  if (count >= least) return;
  throw tooFew('records', count, least, 'run it again, or narrow the range: --since, --until');
}

/** A time after the newest record, whose fraction of a second may be missing. */
function newestMs(records: readonly UsageRecord[]): number | undefined {
  const times = records.map(({ createdAt }) => Date.parse(createdAt ?? ''));
  const isNewestFirst = times.every((time, index) => time <= (times[index - 1] ?? Infinity));
  const [newest] = times;
  if (!isNewestFirst || newest === undefined) return undefined;
  return (Math.floor(newest / 1000) + 2) * 1000 - 1;
}
