/** Work on many items, several at once, with the results in the order of the items. */

/**
 * Does the work for every item, at most `atOnce` at a time, and gives the results in the order of
 * the items. Rejects with the first failure; work that has begun goes on, none is begun after it.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (hasFailed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}

/**
 * At most `atOnce` items are taken ahead of whoever reads the results, so memory stays flat however
 * many there are, and a slow reader holds the source back. While the source is slow, results that
 * are ready are handed over.
 *
 * When the work on an item fails, or the source does, no further item is taken, the results before
 * it are handed over, and then this throws the failure. What is under way on later items goes on.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  const underWay: Promise<Outcome<Result>>[] = [];
  let next: Promise<Outcome<IteratorResult<Item>>> | undefined = outcome(source.next());
  let failure: Failure | undefined;
  let hasFailed = false;
  const watched = async (result: Promise<Result>) => {
    const ended = await outcome(result);
    if ('error' in ended) hasFailed = true;
    return ended;
  };
  try {
    for (;;) {
      const oldest = underWay[0];
      const wanted = underWay.length < atOnce && !hasFailed ? next : undefined;
      if (!wanted && !oldest) break;
      const isItem = await first(wanted, oldest);
      if (isItem && wanted) {
        const taken = await wanted;
        next = undefined;
        if ('error' in taken) {
          failure = taken;
          hasFailed = true;
        } else if (taken.value.done !== true) {
          underWay.push(watched(work(taken.value.value)));
          next = outcome(source.next());
        }
      } else if (oldest) {
        void underWay.shift();
        const done = await oldest;
        if ('error' in done) throw done.error;
        yield done.value;
      }
    }
    if (failure) throw failure.error;
  } finally {
    // What is still being read or done settles unheard: each is an outcome, and never rejects.
    if (!failure) void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

interface Failure {
  readonly error: unknown;
}
type Outcome<Value> = { readonly value: Value } | Failure;

function outcome<Value>(promise: Promise<Value>): Promise<Outcome<Value>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Whether the first of the two is there first; one of them may be missing. */
async function first(
  one: Promise<unknown> | undefined,
  other: Promise<unknown> | undefined,
): Promise<boolean> {
  if (!one || !other) return one !== undefined;
  return Promise.race([one.then(() => true), other.then(() => false)]);
}
