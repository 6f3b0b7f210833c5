/** Lists that come in pages; a page is asked for when its first item is wanted. */
import { Incomplete, SvcError } from '../errors.js';

interface NumberedPage<Item> {
  readonly items: readonly Item[];
  /** Of the whole list, when it is told. */
  readonly total?: number | null;
  /** The page size the service went by, when it is told. */
  readonly limit?: number | null;
}

/** Lists by page number, from 1 (section 2.10), page by page. */
export async function* freshPages<Item>(
  ask: (page: number) => Promise<NumberedPage<Item>>,
  idOf: (item: Item) => string,
): AsyncGenerator<readonly Item[], void, undefined> {
  const recent = new RecentIds();
  let seen = 0;
  for (let page = 1; ; page += 1) {
    const { items, total, limit } = await ask(page);
    const straight = recent.beforeRound(items, idOf);
    // A list that grows at its head repeats the end of one page at the start of the next. Those of
    // one page may be called alike.
    const fresh = straight.filter((item) => !recent.has(idOf(item)));
    for (const item of straight) recent.add(idOf(item));
    if (fresh.length > 0) yield fresh;
    seen += items.length;
    const isShort = straight.length < Math.max(items.length, limit ?? 0);
    // A page with nothing new ends it too: a service that ignores the number repeats the first, or
    // any number of them in turn, for ever.
    if (fresh.length === 0 || isShort || seen >= (total ?? Infinity)) return;
  }
}

/** The same, item by item. */
export async function* numberedPages<Item>(
  ...asking: Parameters<typeof freshPages<Item>>
): AsyncGenerator<Item, void, undefined> {
  for await (const items of freshPages(...asking)) yield* items;
}

interface CursorPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; absent, null or empty at the end. */
  readonly next?: string | null;
  readonly hasMore?: boolean;
}

/** Far more than a filter leaves out by chance. */
const mostEmptyPages = 100;

/** Lists by cursor (section 2.15). */
export async function* cursorPages<Item>(
  ask: (after: string | undefined) => Promise<CursorPage<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let emptyPages = 0;
  for (let after: string | undefined; ;) {
    const { items, next, hasMore } = await ask(after);
    yield* items;
    if (hasMore === false || (!next && !hasMore)) return;
    if (!next || seen.has(next)) throw noWayOn();
    emptyPages = items.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages === mostEmptyPages) {
      throw new Incomplete(`the service gave ${mostEmptyPages} empty pages, one after the other`, {
        code: 'empty_pages',
      });
    }
    seen.add(next);
    after = next;
  }
}

/** Of a list that the service says goes on, though it leads nowhere but back. */
export function noWayOn(): Incomplete {
  return new Incomplete('the service says that there is more, and leads to nothing new', {
    code: 'pages_repeat',
    hint: 'run it again',
  });
}

/** The error of a list that broke off. @param given so far: `2 tickets`. */
export function brokenOff(error: unknown, given: string, hint = 'run it again'): unknown {
  if (!(error instanceof SvcError)) return error;
  const { code, message } = error;
  return new Incomplete(`${message}; ${given} were given`, { code, hint, cause: error });
}

/** Of a list that is shorter than the service says. @param what it lists: `records`. */
export function tooFew(what: string, given: number, total: number, hint = 'run it again') {
  return new Incomplete(`the service tells of ${total} ${what} and gave ${given} of them`, {
    code: `${what}_missing`,
    hint,
  });
}

/** More than comes to a list in the seconds that pass between two pages. */
const mostIds = 5000;

class RecentIds {
  readonly #ids = new Set<string>();
  /** The first, second, fourth, eighth … of all: a list that goes round comes back to one of them. */
  readonly #milestones = new Set<string>();
  #count = 0;
  #nextMilestone = 1;

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The items of a page up to one that was given long ago: there the list begins to go round. */
  beforeRound<Item>(items: readonly Item[], idOf: (item: Item) => string): readonly Item[] {
    const end = items.map(idOf).findIndex((id) => !this.#ids.has(id) && this.#milestones.has(id));
    return end === -1 ? items : items.slice(0, end);
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#count += 1;
    if (this.#count === this.#nextMilestone) {
      this.#milestones.add(id);
      this.#nextMilestone *= 2;
    }
    // A set keeps the order in which it was filled.
    const [oldest = id] = this.#ids;
    if (this.#ids.size > mostIds) this.#ids.delete(oldest);
  }
}
