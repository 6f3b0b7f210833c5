import { expect, it } from 'vitest';
import { inParallel } from '../../src/lib/parallel.js';

it('does so many things at once and no more, and keeps their order', async () => {
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

it('begins nothing new once something has failed', async () => {
  const begun: number[] = [];
  const work = inParallel([1, 2, 3, 4], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(begun).toEqual([1, 2]);
});
