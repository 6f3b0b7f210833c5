/** Lists in pages; a page is requested when its first item is needed. */
import { Incomplete, SvcError } from '../errors.js';
import { keepHeapSmall } from '../lib/small-heap.js';

interface NumberedPage<Item> {
  readonly items: readonly Item[];
  readonly total?: number | null;
  readonly limit?: number | null;
}

/** More items than are added to a list between two pages. */
const maxIds = 5000;

export async function* freshPages<Item>(
  ask: (page: number) => Promise<NumberedPage<Item>>,
  idOf: (item: Item) => string,
): AsyncGenerator<readonly Item[], void, undefined> {
  const recent = new Set<string>();
  // The first, second, fourth, eighth … id: a list that repeats itself returns to one of them.
  const milestones = new Set<string>();
  let seen = 0;
  for (let page = 1, count = 0; ; page += 1) {
    if (page === 2) await keepHeapSmall();
    const { items, total, limit } = await ask(page);
    const round = items.map(idOf).findIndex((id) => !recent.has(id) && milestones.has(id));
    const straight = round === -1 ? items : items.slice(0, round);
    // A list that grows at its head repeats the end of one page at the start of the next. Several
    // items of one page may have the same id.
    const fresh = straight.filter((item) => !recent.has(idOf(item)));
    for (const id of new Set(fresh.map(idOf))) {
      recent.add(id);
      count += 1;
      if (Number.isInteger(Math.log2(count))) milestones.add(id);
      // A set keeps the order in which it was filled.
      const [oldest = id] = recent;
      if (recent.size > maxIds) recent.delete(oldest);
    }
    if (fresh.length > 0) yield fresh;
    seen += items.length;
    const isShort = straight.length < Math.max(items.length, limit ?? 0);
    // A page with nothing new ends the list: some services ignore the number and repeat the first
    // page, or several in turn.
    if (fresh.length === 0 || isShort || seen >= (total ?? Infinity)) return;
  }
}

interface CursorPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string | null;
  readonly hasMore?: boolean | null;
}

/** A filter may leave some pages empty, but not this many. */
const maxEmptyPages = 100;

export async function* cursorPages<Item>(
  ask: (after: string | undefined) => Promise<CursorPage<Item>>,
): AsyncGenerator<readonly Item[], void, undefined> {
  const seen = new Set<string>();
  let emptyPages = 0;
  for (let after: string | undefined; ;) {
    const { items, next, hasMore } = await ask(after);
    if (items.length > 0) yield items;
    if (hasMore === false || (!next && !hasMore)) return;
    if (!next || seen.has(next)) throw noNextPage();
    emptyPages = items.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages === maxEmptyPages) {
      throw new Incomplete(`the service returned ${maxEmptyPages} empty pages in a row`, {
        code: 'empty_pages',
      });
    }
    if (after === undefined) await keepHeapSmall();
    seen.add(next);
    after = next;
  }
}

/** The service says that a list continues, but returns no new page. */
export function noNextPage(): Incomplete {
  return new Incomplete('the service says that there is more but returns nothing new', {
    code: 'pages_repeat',
    hint: 'run it again',
  });
}

/** The error of an interrupted list. @param given so far: `2 tickets` */
export function brokenOff(error: unknown, received: string, hint = 'run it again'): unknown {
  if (!(error instanceof SvcError)) return error;
  return new Incomplete(`${error.message}; ${received} were received`, { hint, cause: error });
}

/** A list is shorter than announced. @param what it lists: `records` */
export function tooFew(
  what: 'models' | 'records',
  count: number,
  total: number,
  hint = 'run it again',
) {
  return new Incomplete(`the service returned only ${count} of ${total} ${what}`, {
    code: `${what}_missing`,
    hint,
  });
}
