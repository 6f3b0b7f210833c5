/** Usage records, page after page (sections 2.10 and 4.7). */
import type * as z from 'zod/mini';
import { listUsage, type UsageHistory } from '../contract/billing.js';
import { call } from './call.js';
import { withOneDeadline, type Client } from './client.js';
import { brokenOff, RecentIds, tooFew } from './pages.js';

type UsageList = z.output<typeof UsageHistory>;
export type UsageRecord = UsageList['data'][number];

/** Milliseconds since the epoch; both ends belong to it as far as the service takes them so. */
export interface UsageRange {
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** One page, as the service answers it. @throws what `call` throws. */
export async function usagePage(
  client: Client,
  { fromMs, untilMs }: UsageRange,
  { page, limit }: { page?: number; limit?: number },
): Promise<UsageList> {
  const [dateFrom, dateTo] = [fromMs, untilMs].map((ms) =>
    ms === undefined ? undefined : new Date(ms).toISOString(),
  );
  return (await call(client, listUsage, { query: { page, limit, dateFrom, dateTo } })).data;
}

interface UsageBatch {
  readonly records: readonly UsageRecord[];
  /** How many were given so far, these included. */
  readonly given: number;
  /** Of all pages, when it is told. */
  readonly total: number | undefined;
}

/** Records with nothing new among them: more than could have come in the seconds that it takes. */
const mostRepeated = 1000;

/**
 * Every record of a range, a page at a time. A record that comes while the list is read pushes all
 * others one place on: so after the first page, only what is not newer than its newest record is
 * asked for, and what is repeated all the same is known by its id.
 * @throws what `call` throws for the first page; Incomplete when a later one does not come, or when
 * the service tells of more records than it gives.
 */
export async function* usageBatches(
  client: Client,
  range: UsageRange,
  limit: number,
): AsyncGenerator<UsageBatch, void, undefined> {
  const hurried = withOneDeadline(client);
  const recent = new RecentIds();
  let asked = range;
  let given = 0;
  let repeated = 0;
  let firstTotal: number | undefined;
  let size = 0;
  let last: UsageRecord | undefined;
  let lastPage = '';
  const ask = (page: number) =>
    usagePage(hurried, asked, { page, limit }).catch((error: unknown) => {
      if (page === 1) throw error;
      const of = firstTotal === undefined ? '' : ` of ${firstTotal}`;
      throw brokenOff(error, `${given}${of} records`, howToGoOn(last));
    });
  for (let number = 1; ; number += 1) {
    let page = await ask(number);
    if (number > 1 && asked !== range && (page.total ?? 0) < (firstTotal ?? 0)) {
      // The end of the range has cut off what belongs to it.
      asked = range;
      page = await ask(number);
    }
    const { data } = page;
    const total = page.total ?? undefined;
    if (number === 1) {
      firstTotal = total;
      size = data.length;
      const newest = total === undefined ? undefined : newestMs(data);
      const untilMs = Math.min(newest ?? Infinity, range.untilMs ?? Infinity);
      if (newest !== undefined) asked = { ...range, untilMs };
    }
    last = data.at(-1) ?? last;
    const straight = recent.beforeRound(data, ({ id }) => id);
    const fresh = straight.filter(({ id }) => recent.add(id));
    given += fresh.length;
    if (fresh.length > 0) yield { records: fresh, given, total };
    if (straight.length < data.length || isLastPage(page, number, size)) {
      // What has come meanwhile stands before the first page, and belongs to another time.
      const least = Math.min(firstTotal ?? 0, total ?? 0);
      if (given < least) throw recordsMissing(given, least);
      return;
    }
    // A service that ignores the number repeats the first page, or a few in turn, for ever.
    if (fresh.length === 0 && total === undefined) return;
    repeated = fresh.length === 0 ? repeated + data.length : 0;
    const signature = JSON.stringify([data.length, data[0]?.id, last?.id]);
    if (repeated > mostRepeated || (repeated > 0 && signature === lastPage)) {
      throw recordsMissing(given, total ?? given);
    }
    lastPage = signature;
  }
}

function isLastPage({ data, total, limit }: UsageList, number: number, size: number): boolean {
  if (data.length === 0) return true;
  if (typeof total === 'number') return number * size >= total;
  return typeof limit === 'number' && data.length < limit;
}

/**
 * A moment by which the newest record was surely made; undefined when the list is in another
 * order. The service may keep parts of a second that it does not show.
 */
function newestMs(records: readonly UsageRecord[]): number | undefined {
  const times = records.map(({ createdAt }) => Date.parse(createdAt ?? ''));
  const isNewestFirst = times.every((time, index) => time <= (times[index - 1] ?? Infinity));
  const [newest] = times;
  if (!isNewestFirst || newest === undefined) return undefined;
  return (Math.floor(newest / 1000) + 2) * 1000 - 1;
}

function recordsMissing(given: number, total: number) {
  return tooFew('records', given, total, 'run it again, or ask for a part: --since, --until');
}

function howToGoOn(last: UsageRecord | undefined): string | undefined {
  const lastMs = Date.parse(last?.createdAt ?? '');
  if (Number.isNaN(lastMs)) return undefined;
  return `go on from the last one: --until ${new Date(lastMs).toISOString()}`;
}
