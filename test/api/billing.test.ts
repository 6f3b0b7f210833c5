import { describe, expect, it } from 'vitest';
import { usageBatches, type UsageRange } from '../../src/api/billing.js';
import { Incomplete, NetworkError } from '../../src/errors.js';
import { AttemptFailed, type HttpRequest, type HttpResponse } from '../../src/http/types.js';
import { newestMs, pageOf, recordAt, records, type HistoryRecord } from '../helpers/history.js';
import { scripted } from '../helpers/scripted-transport.js';
import { clientOver } from './client.js';

type Reply = (query: URLSearchParams, nth: number) => object;

/** A client of a history, and the queries that it was asked. */
function clientOf(reply: Reply) {
  const queries: URLSearchParams[] = [];
  const answer = (request: HttpRequest): Promise<HttpResponse> => {
    const query = request.url.searchParams;
    queries.push(query);
    const body = JSON.stringify(reply(query, queries.length));
    const headers = { 'content-type': 'application/json' };
    return scripted({ headers, body }).transport(request);
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

  it('come whole and in order, each page asked for once', async () => {
    const found = await idsOf((query) => pageOf(history, query));
    expect(found.failure).toBeUndefined();
    expect(found.ids).toEqual(ids(history));
    expect(found.queries.map((query) => query.get('page'))).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(found.queries.map((query) => query.get('limit')))).toEqual(new Set(['10']));
  });

  it('leave what is charged meanwhile to the next time, however much it is', async () => {
    const found = await idsOf((query, nth) => {
      const fresh = Array.from({ length: (nth - 1) * 37 }, (_unused, k) =>
        recordAt(`new${nth}-${k}`, newestMs + 60_000 * (k + 1)),
      );
      return pageOf([...fresh, ...history], query);
    });
    expect(found).toMatchObject({ ids: ids(history), failure: undefined });
  });

  it('come once each where some are charged in the very second of the newest', async () => {
    const found = await idsOf((query, nth) => {
      const fresh = Array.from({ length: nth - 1 }, (_unused, k) => recordAt(`new${k}`, newestMs));
      return pageOf([...fresh.reverse(), ...history], query);
    });
    expect(found).toMatchObject({ ids: ids(history), failure: undefined });
  });

  it('come whole from a service that takes the end of a range not to belong to it', async () => {
    const found = await idsOf((query) => {
      const to = query.get('dateTo');
      const exclusive = new URLSearchParams(query);
      if (to !== null) exclusive.set('dateTo', new Date(Date.parse(to) - 1).toISOString());
      return pageOf(history, exclusive);
    });
    expect(found).toMatchObject({ ids: ids(history), failure: undefined });
  });

  it('come whole from a service whose dates are those of another clock', async () => {
    // Its filter is an hour off: what is not newer than the first page is cut off too.
    const found = await idsOf((query) => {
      const to = query.get('dateTo');
      const shifted = new URLSearchParams(query);
      if (to !== null) shifted.set('dateTo', new Date(Date.parse(to) - 3_600_000).toISOString());
      return pageOf(history, shifted);
    });
    expect(found).toMatchObject({ ids: ids(history), failure: undefined });
  });

  it('are incomplete where the service repeats a page or gives fewer than it tells of', async () => {
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
      message: 'the service tells of 45 records and gave 25 of them',
    });
  });

  it('that break off say how many there were and how to go on', async () => {
    const { client } = clientOf((query) => pageOf(history, query));
    const transport: typeof client.transport = (request) =>
      request.url.searchParams.get('page') === '3'
        ? Promise.reject(new AttemptFailed('connect', false, 'no way there'))
        : client.transport(request);
    const given: string[] = [];
    const reading = async () => {
      for await (const batch of usageBatches({ ...client, transport }, {}, 10)) {
        given.push(...batch.records.map(({ id }) => id));
      }
    };
    const failure = await reading().catch((error: unknown) => error);
    expect(given).toEqual(ids(history.slice(0, 20)));
    expect(failure).toBeInstanceOf(Incomplete);
    expect(failure).toMatchObject({
      message: expect.stringContaining('20 of 45 records were given'),
      hint: 'go on from the last one: --until 2026-11-30T11:41:00.000Z',
      cause: expect.any(NetworkError),
    });
  });
});
