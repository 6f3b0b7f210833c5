import { describe, expect, it } from 'vitest';
import { cursorPages, freshPages } from '../../src/api/pages.js';
import { Incomplete } from '../../src/errors.js';

const idOf = (item: string) => item;

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a list by page number', () => {
  const history = Array.from({ length: 45 }, (_unused, nth) => `g${nth}`);

  it.each([
    ['its total', { total: 45, limit: 20 }, 3],
    ['a short page where no total is told', { limit: 20 }, 3],
    ['an empty page where nothing is told', {}, 4],
  ])('is read to %s', async (_, told, pages) => {
    let asked = 0;
    const ask = (page: number) => {
      asked += 1;
      return Promise.resolve({ items: history.slice((page - 1) * 20, page * 20), ...told });
    };
    expect((await all(freshPages(ask, idOf))).flat()).toEqual(history);
    expect(asked).toBe(pages);
  });

  it('ends where more pages than are remembered repeat in turn, whatever they begin with', async () => {
    // Whole pages in turn, and pages that each begin with another item.
    for (const size of [100, 97]) {
      const ask = (page: number) => {
        const first = (page - 1) * size;
        const items = Array.from({ length: size }, (_unused, nth) => `g${(first + nth) % 6000}`);
        // Ends some time, for a list that would go on without end.
        return Promise.resolve({ items: page > 500 ? [] : items, total: 1e9 });
      };
      const found = (await all(freshPages(ask, idOf))).flat();
      expect(found).toHaveLength(6000);
      expect(new Set(found).size).toBe(6000);
    }
  });
});

describe('a list by cursor', () => {
  it('is read from cursor to cursor', async () => {
    const asked: (string | undefined)[] = [];
    const ask = (after: string | undefined) => {
      asked.push(after);
      return Promise.resolve(
        after === undefined
          ? { items: ['a', 'b'], next: 'c1', hasMore: true }
          : { items: ['c'], next: null, hasMore: false },
      );
    };
    expect((await all(cursorPages(ask))).flat()).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([undefined, 'c1']);
  });

  it('skips an empty page in the middle, and ends where the service says so', async () => {
    const first = (page: object) => (after: string | undefined) =>
      Promise.resolve(after === undefined ? { items: [], ...page } : { items: ['b'] });
    const read = (page: object) => all(cursorPages(first(page)));
    expect(await read({ next: 'c1' })).toEqual([['b']]);
    expect(await read({ items: ['a'], next: 'c1', hasMore: false })).toEqual([['a']]);
    expect(await read({ items: ['a'], next: '' })).toEqual([['a']]);
  });

  it.each([
    ['the same cursor again', { '': 'c1', c1: 'c1' }, true, ['', 'c1']],
    ['cursors in turn', { '': 'c1', c1: 'c2', c2: 'c1' }, true, ['', 'c1', 'c2']],
    ['a cursor again and no word of more', { '': 'c1', c1: 'c1' }, undefined, ['', 'c1']],
    ['no cursor for what it says is there', { '': 'c1' }, true, ['', 'c1']],
  ])('is incomplete where the service has %s', async (_what, after, hasMore, items) => {
    const cursors: Readonly<Record<string, string>> = after;
    const pages = cursorPages((at = '') =>
      Promise.resolve({ items: [at], next: cursors[at] ?? null, hasMore }),
    );
    const found: string[] = [];
    const reading = async () => {
      for await (const page of pages) found.push(...page);
    };
    await expect(reading()).rejects.toThrow(Incomplete);
    expect(found).toEqual(items);
  });

  it('gives up where every page has only a new cursor', async () => {
    let asked = 0;
    const ask = () => {
      asked += 1;
      // Ends some time, for a list that would go on without end.
      return Promise.resolve({ items: [], next: asked < 1000 ? `c${asked}` : null });
    };
    await expect(all(cursorPages(ask))).rejects.toThrow('100 empty pages');
    expect(asked).toBe(100);
  });
});
