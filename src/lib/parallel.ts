/** Works on several items at once, with results in the order of the items. */

/** Rejects with the first failure; nothing starts after it. */
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

/** Takes at most `atOnce` items ahead; finished results do not wait for a slow source. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  /** Each resolves to its result, or to none at the end of the source. */
  const underWay: Promise<readonly Result[]>[] = [];
  let isOver = false;
  const one = async () => {
    try {
      const next = await source.next();
      isOver ||= next.done === true;
      // After a failure nothing new starts: it may cost money.
      if (isOver || next.done) return [];
      begin();
      return [await work(next.value)];
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  const begin = () => {
    if (isOver || underWay.length >= atOnce) return;
    const begun = one();
    begun.catch(() => undefined);
    underWay.push(begun);
  };
  try {
    begin();
    while (underWay[0]) {
      const results = await underWay[0];
      void underWay.shift();
      yield* results;
      begin();
    }
  } finally {
    isOver = true;
    void Promise.resolve(source.return?.()).catch(() => undefined);
  }
}
