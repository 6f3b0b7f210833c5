import { expect, it } from 'vitest';
import { inOrder, inParallel } from '../../src/lib/parallel.js';

it('does a limited number of things at once, and keeps their order', async () => {
  let [atWork, most] = [0, 0];
  const results = await inParallel([5, 1, 4, 2, 3], 2, async (item, index) => {
    atWork += 1;
    most = Math.max(most, atWork);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    atWork -= 1;
    return [item, index];
  });
  expect(most).toBe(2);
  expect(results).toEqual([5, 1, 4, 2, 3].map((item, index) => [item, index]));
  expect(await inParallel([], 4, async () => 1)).toEqual([]);
});

interface Deferred {
  readonly item: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A source that counts what was taken of it, and work that ends when a test says so. */
function rig(count: number) {
  const begun: Deferred[] = [];
  let taken = 0;
  async function* items() {
    for (let item = 0; item < count; item += 1) {
      taken += 1;
      yield await Promise.resolve(item);
    }
  }
  const work = (item: number) =>
    new Promise<number>((resolve, reject) => {
      begun.push({
        item,
        resolve: () => {
          resolve(item);
        },
        reject,
      });
    });
  return { items, work, begun, taken: () => taken };
}

/** Lets everything that is ready happen. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function read(results: AsyncIterable<number>): Promise<(number | string)[]> {
  const all: (number | string)[] = [];
  try {
    for await (const result of results) all.push(result);
  } catch (error) {
    all.push(String(error));
  }
  return all;
}

it('gives the results in the order of the items, however the work ends', async () => {
  const { items, work, begun } = rig(5);
  const all = read(inOrder(items(), 3, work));
  await turn();
  expect(begun.map(({ item }) => item)).toEqual([0, 1, 2]);
  begun[2]?.resolve();
  begun[1]?.resolve();
  await turn();
  expect(begun).toHaveLength(3);
  begun[0]?.resolve();
  await turn();
  expect(begun).toHaveLength(5);
  begun[4]?.resolve();
  begun[3]?.resolve();
  expect(await all).toEqual([0, 1, 2, 3, 4]);
});

it('takes nothing ahead of a reader that is slow', async () => {
  const { items, work, begun, taken } = rig(100);
  const results = inOrder(items(), 2, work);
  const first = results.next();
  await turn();
  for (const one of begun) one.resolve();
  expect(await first).toEqual({ value: 0, done: false });
  await turn();
  await turn();
  expect(taken()).toBeLessThanOrEqual(4);
});

it('hands over what comes before a failure, and begins nothing after it', async () => {
  const { items, work, begun } = rig(10);
  const all = read(inOrder(items(), 3, work));
  await turn();
  begun[1]?.reject(new Error('no'));
  await turn();
  begun[0]?.resolve();
  expect(await all).toEqual([0, 'Error: no']);
  expect(begun).toHaveLength(3);
});

it('begins nothing that a slow source gives after a failure, or when nobody reads on', async () => {
  for (const ending of ['failure', 'return'] as const) {
    let give: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (give = resolve));
    async function* slow() {
      yield 0;
      await waiting;
      yield 1;
    }
    const { work, begun } = rig(0);
    const results = inOrder(slow(), 2, work);
    const first = results.next().catch(String);
    await turn();
    if (ending === 'failure') begun[0]?.reject(new Error('no'));
    else begun[0]?.resolve();
    await first;
    if (ending === 'return') await results.return();
    give();
    await turn();
    expect(begun).toHaveLength(1);
  }
});
