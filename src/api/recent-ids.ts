/** Remembers which items of a list in pages have been given, in memory that does not grow. */

/** More than comes to a list in the seconds that pass between two pages. */
const mostIds = 5000;

export class RecentIds {
  readonly #ids = new Set<string>();
  /** The first, second, fourth, eighth … of all: a list that goes round comes back to one of them. */
  readonly #milestones = new Set<string>();
  #count = 0;
  #nextMilestone = 1;
  #lastPage = '';

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The items of a page up to one that was given long ago: there the list begins to go round. */
  beforeRound<Item>(items: readonly Item[], idOf: (item: Item) => string): readonly Item[] {
    const end = items.map(idOf).findIndex((id) => !this.#ids.has(id) && this.#milestones.has(id));
    return end === -1 ? items : items.slice(0, end);
  }

  /** @returns whether it is new. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    this.#count += 1;
    if (this.#count === this.#nextMilestone) {
      this.#milestones.add(id);
      this.#nextMilestone *= 2;
    }
    if (this.#ids.size > mostIds) {
      // A set keeps the order in which it was filled.
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return true;
  }

  /** Notes a page, to be known again. */
  endPage(items: readonly { readonly id: string }[]): void {
    this.#lastPage = signature(items);
  }

  /** Whether it is the page that was noted last. */
  isSamePage(items: readonly { readonly id: string }[]): boolean {
    return signature(items) === this.#lastPage;
  }
}

function signature(items: readonly { readonly id: string }[]): string {
  return JSON.stringify([items.length, items[0]?.id, items.at(-1)?.id]);
}
