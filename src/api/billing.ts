/** Usage records, page after page (sections 2.10 and 4.7). */
import type * as z from 'zod/mini';
import { listUsage, type UsageHistory } from '../contract/billing.js';
import { Incomplete, SvcError } from '../errors.js';
import { call } from './call.js';
import { withOneDeadline, type Client } from './client.js';
import { RecentIds } from './pages.js';

export type UsageList = z.output<typeof UsageHistory>;
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
  const { data } = await call(client, listUsage, { query: { page, limit, dateFrom, dateTo } });
  return data;
}

export interface UsageBatch {
  readonly records: readonly UsageRecord[];
  /** How many were given so far, these included. */
  readonly given: number;
  /** Of all pages, when it is told. */
  readonly total: number | undefined;
}

/** Records with nothing new among them: more than could have come in the seconds that it takes. */
const mostRepeated = 1000;

/** How many pages are asked for at once where the list surely stands still meanwhile. */
const atOnce = 4;

/**
 * Every record of a range, a page at a time; more pages are on their way while one is read.
 *
 * The list has its newest record first, so a record that comes while it is read pushes all others
 * one place on. Three things keep each record from being given twice or left out. Once the first
 * page is there, only what is not newer than its newest record is asked for. What comes in that
 * second all the same repeats the end of one page at the start of the next, and is known again by
 * its id. And pages are asked for side by side only while the total stays the same; when it
 * changes, the page is asked for again, and then one page after the other.
 *
 * @throws what `call` throws for the first page; Incomplete when a later one does not come, or when
 * the service tells of more records than it gives.
 */
export async function* usageBatches(
  client: Client,
  range: UsageRange,
  pageSize: number,
): AsyncGenerator<UsageBatch, void, undefined> {
  const stop = new AbortController();
  const signal = AbortSignal.any([client.signal, stop.signal]);
  try {
    yield* batchesOf(withOneDeadline({ ...client, signal }), range, pageSize);
  } finally {
    // Whoever reads no further wants no page that is on its way.
    stop.abort();
  }
}

async function* batchesOf(
  client: Client,
  range: UsageRange,
  limit: number,
): AsyncGenerator<UsageBatch, void, undefined> {
  const recent = new RecentIds();
  const first = await usagePage(client, range, { page: 1, limit });
  const size = first.data.length;
  let given = 0;
  let repeated = 0;
  let page = first;
  let pages: Pages | undefined;
  for (let number = 1; ; number += 1) {
    const straight = recent.beforeRound(page.data, ({ id }) => id);
    const fresh = straight.filter(({ id }) => recent.add(id));
    given += fresh.length;
    const total = page.total ?? undefined;
    const isLast = straight.length < page.data.length || isLastPage(page, number, size);
    if (!isLast) {
      pages ??= new Pages(client, range, { first, limit, size });
      pages.prepare(number + 1);
    }
    if (fresh.length > 0) yield { records: fresh, given, total };
    if (isLast || !pages) {
      // What has come meanwhile stands before the first page, and belongs to another time.
      const least = Math.min(first.total ?? 0, total ?? 0);
      if (given < least) throw tooFew(given, least);
      return;
    }
    // A service that ignores the number repeats the first page, or a few in turn, for ever.
    if (fresh.length === 0 && total === undefined) return;
    repeated = fresh.length === 0 ? repeated + page.data.length : 0;
    if (repeated > mostRepeated || (repeated > 0 && recent.isSamePage(page.data))) {
      throw tooFew(given, total ?? given);
    }
    recent.endPage(page.data);
    page = await pages.take(number + 1).catch((error: unknown) => {
      throw brokenOff(error, { given, total, last: page.data.at(-1) });
    });
  }
}

function isLastPage({ data, total, limit }: UsageList, number: number, size: number): boolean {
  if (data.length === 0) return true;
  if (typeof total === 'number') return number * size >= total;
  return typeof limit === 'number' && data.length < limit;
}

interface Beginning {
  readonly first: UsageList;
  /** What was asked for. */
  readonly limit: number;
  /** How many a page really has. */
  readonly size: number;
}

/** The pages after the first, asked for ahead of whoever takes them in order. */
class Pages {
  readonly #client: Client;
  readonly #limit: number;
  /** The range that was asked for at first. */
  readonly #wide: UsageRange;
  /** The same without what is newer than the first page. */
  #range: UsageRange;
  /** What the total must stay for pages to be asked for side by side. */
  #total: number | undefined;
  #last: number;
  readonly #asked = new Map<number, Promise<UsageList>>();

  constructor(client: Client, range: UsageRange, { first, limit, size }: Beginning) {
    this.#client = client;
    this.#limit = limit;
    const total = first.total ?? undefined;
    const untilMs = total === undefined ? undefined : newestMs(first.data);
    this.#wide = range;
    this.#range =
      untilMs === undefined
        ? range
        : { ...range, untilMs: Math.min(range.untilMs ?? Infinity, untilMs) };
    this.#total = untilMs === undefined ? undefined : total;
    this.#last = total === undefined ? Infinity : Math.ceil(total / size);
  }

  /** Sends what may be sent now, from this page on. */
  prepare(next: number): void {
    const ahead = this.#total === undefined ? 1 : atOnce;
    for (let number = next; number < next + ahead && number <= this.#last; number += 1) {
      if (!this.#asked.has(number)) this.#asked.set(number, this.#ask(number));
    }
  }

  async take(number: number): Promise<UsageList> {
    this.prepare(number);
    const page = await (this.#asked.get(number) ?? this.#ask(number));
    this.#asked.delete(number);
    if (this.#total === undefined || page.total === this.#total) return page;
    return this.#takeMoved(number, page);
  }

  /** The list did not stand still: what was asked for side by side may leave a record out. */
  async #takeMoved(number: number, { total }: UsageList): Promise<UsageList> {
    // Fewer than at first: the end of the range has cut off what belongs to it.
    const isCut = typeof total !== 'number' || total < (this.#total ?? 0);
    if (isCut) this.#range = this.#wide;
    this.#total = undefined;
    this.#last = Infinity;
    this.#asked.clear();
    return this.#ask(number);
  }

  #ask(number: number): Promise<UsageList> {
    const asked = usagePage(this.#client, this.#range, { page: number, limit: this.#limit });
    // Whoever takes it is told; nobody may.
    asked.catch(() => undefined);
    return asked;
  }
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

function tooFew(given: number, total: number): Incomplete {
  return new Incomplete(
    `the service tells of ${String(total)} records and gave ${String(given)} of them`,
    { code: 'records_missing', hint: 'run it again, or ask for a part: --since, --until' },
  );
}

interface Progress {
  readonly given: number;
  readonly total: number | undefined;
  readonly last: UsageRecord | undefined;
}

/** What was given so far is good: how to go on from there. */
function brokenOff(error: unknown, { given, total, last }: Progress): unknown {
  if (!(error instanceof SvcError)) return error;
  const of = total === undefined ? '' : ` of ${String(total)}`;
  const lastMs = Date.parse(last?.createdAt ?? '');
  const from = Number.isNaN(lastMs)
    ? 'run it again'
    : `go on from the last one: --until ${new Date(lastMs).toISOString()}`;
  return new Incomplete(`${error.message}; ${String(given)}${of} records were given`, {
    code: error.code,
    cause: error,
    hint: from,
  });
}
