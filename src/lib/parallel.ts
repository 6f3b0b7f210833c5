/** Work on many items, several at once, with the results in the order of the items. */

/** Results in the order of the items. Rejects with the first failure; none is begun after it. */
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
 * At most `atOnce` items are taken ahead of a slow reader; results that are ready do not wait for a
 * slow source. After a failure no item is taken, and the results before it come first.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  const underWay: ReturnType<typeof outcome<Result>>[] = [];
  let next = outcome(source.next());
  /** The source has ended, or something failed: no further item is taken. */
  let isOver = false;
  const begin = async (item: Item) => {
    const ended = await outcome(work(item));
    isOver ||= ended.status === 'rejected';
    return ended;
  };
  try {
    for (;;) {
      const oldest = underWay[0];
      const mayTake = underWay.length < atOnce && !isOver;
      if (!mayTake && !oldest) break;
      const isItem = mayTake && (await isFirst(next, oldest));
      if (isItem) {
        const taken = await next;
        isOver ||= taken.status === 'rejected' || taken.value.done === true;
        if (taken.status === 'fulfilled' && taken.value.done !== true) {
          underWay.push(begin(taken.value.value));
          next = outcome(source.next());
        }
      } else if (oldest) {
        void underWay.shift();
        yield valueOf(await oldest);
      }
    }
    valueOf(await next);
  } finally {
    // What is still being read or done ends unheard: each is an outcome, and never rejects.
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}

async function outcome<Value>(promise: Promise<Value>): Promise<PromiseSettledResult<Value>> {
  const [ended] = await Promise.allSettled([promise]);
  return ended;
}

function valueOf<Value>(ended: PromiseSettledResult<Value>): Value {
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}

/** Whether the one is there before the other, which may be missing. */
async function isFirst(one: Promise<unknown>, other: Promise<unknown> | undefined) {
  if (!other) return true;
  return Promise.race([one.then(() => true), other.then(() => false)]);
}
