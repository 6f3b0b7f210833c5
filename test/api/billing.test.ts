import { describe, expect, it } from 'vitest';
import { usageBatches, type UsageRange } from '../../src/api/billing.js';
import { Incomplete } from '../../src/errors.js';
import type { HttpRequest, HttpResponse } from '../../src/http/types.js';
import { newestMs, pageOf, recordAt, records, type HistoryRecord } from '../helpers/history.js';
import { scripted } from '../helpers/scripted-transport.js';
import { clientOver, json } from './client.js';

type Reply = (query: URLSearchParams, nth: number) => object;

/** A client of a history, and the queries that it received. */
function clientOf(reply: Reply) {
  const queries: URLSearchParams[] = [];
  const answer = (request: HttpRequest): Promise<HttpResponse> => {
    const query = request.url.searchParams;
    queries.push(query);
    return scripted(json(reply(query, queries.length))).transport(request);
  };
  return { client: clientOver([answer]), queries };
}

async function idsOf(reply: Reply, range: UsageRange = {}, pageSize = 10) {
  const { client, queries } = clientOf(reply);
  const ids: string[] = [];
  let failure: unknown;
  try {
    for await (const batch of usageBatches(client, range, pageSize)) {
      ids.push(...batch.records.map(({ id }) => id));
    }
  } catch (error) {
    failure = error;
  }
  return { ids, queries, failure };
}

const ids = (of: readonly HistoryRecord[]) => of.map(({ id }) => id);

describe('the usage records of a range', () => {
  const history = records(45);

  it('are complete and in order, each page requested once', async () => {
    const found = await idsOf((query) => pageOf(history, query));
    expect(found.failure).toBeUndefined();
    expect(found.ids).toEqual(ids(history));
    expect(found.queries.map((query) => query.get('page'))).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(found.queries.map((query) => query.get('limit')))).toEqual(new Set(['10']));
  });

  /** Records that were charged before the nth request. */
  const freshAt = (count: number, stepMs: number) =>
    Array.from({ length: count }, (_unused, k) => recordAt(`new${k}`, newestMs + stepMs * k));
  const earlier = (query: URLSearchParams, ms: number) => {
    const shifted = new URLSearchParams(query);
    const to = query.get('dateTo');
    if (to !== null) shifted.set('dateTo', new Date(Date.parse(to) - ms).toISOString());
    return shifted;
  };

  it.each<readonly [string, Reply]>([
    [
      'without what is charged meanwhile, however much it is',
      (query, nth) => {
        const fresh = freshAt((nth - 1) * 37 + 1, 60_000).slice(1);
        return pageOf([...fresh, ...history], query);
      },
    ],
    [
      'where some are charged in the very second of the newest',
      (query, nth) => pageOf([...freshAt(nth - 1, 0).reverse(), ...history], query),
    ],
    [
      'where the end of a range does not belong to it',
      (query) => pageOf(history, earlier(query, 1)),
    ],
    // What is not newer than the first page is cut off too.
    ['where dates are an hour off', (query) => pageOf(history, earlier(query, 3_600_000))],
  ])('are complete, each once, %s', async (_, reply) => {
    expect(await idsOf(reply)).toMatchObject({ ids: ids(history), failure: undefined });
  });

  it('are incomplete where the service repeats a page or returns fewer than it announces', async () => {
    const repeats = await idsOf(() => ({ data: history.slice(0, 10), total: 45, limit: 10 }));
    expect(repeats.ids).toEqual(ids(history.slice(0, 10)));
    expect(repeats.failure).toBeInstanceOf(Incomplete);
    const inTurn = await idsOf((query) => {
      const from = (Number(query.get('page')) % 3) * 10;
      return { data: history.slice(from, from + 10), total: 1e9, limit: 10 };
    });
    expect(inTurn.ids).toHaveLength(30);
    expect(inTurn.failure).toBeInstanceOf(Incomplete);
    expect(inTurn.queries.length).toBeLessThan(200);
    const fewer = await idsOf((query) => ({ ...pageOf(history.slice(0, 25), query), total: 45 }));
    expect(fewer.ids).toHaveLength(25);
    expect(fewer.failure).toMatchObject({
      message: 'the service returned only 25 of 45 records',
    });
  });
});
