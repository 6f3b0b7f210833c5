import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { UsageHistory } from '../../src/contract/billing.js';
import { FakeClock, get, keys, openService, post, read } from './helpers.js';

const path = '/v1/chat/completions';
const ask = { model: 'local/echo', messages: [{ role: 'user', content: '12345678' }] };
const hour = 3_600_000;

/** A service with one call at each time, in order. */
async function withCallsAt(...times: string[]) {
  const clock = new FakeClock();
  const service = openService({ clock });
  const ids: string[] = [];
  for (const time of times) {
    clock.set(Date.parse(time));
    const response = await post(service, path, ask);
    ids.push(response.headers.get('x-svc-generation-id') ?? '');
  }
  return { service, clock, ids };
}

const times = Array.from({ length: 25 }, (_, i) =>
  new Date(Date.UTC(2026, 0, 1) + i * hour).toISOString(),
);

it('GET /v1/generations pages through the records, newest first', async () => {
  // Two calls at each time: the later one is newer.
  const { service, ids } = await withCallsAt(...times.map((_, i) => times[i >> 1] ?? ''));
  const newest = [...ids].reverse();
  const page = async (query: string) =>
    await read(get(service, `/v1/generations${query}`), UsageHistory);
  const first = await page('');
  expect(first).toMatchObject({ page: 1, limit: 20, total: 25 });
  expect(first.data.map(({ id }) => id)).toEqual(newest.slice(0, 20));
  expect((await page('?page=2')).data.map(({ id }) => id)).toEqual(newest.slice(20));
  expect((await page('?page=3')).data).toEqual([]);
  const third = await page('?page=3&limit=10');
  expect(third).toMatchObject({ page: 3, limit: 10, total: 25 });
  expect(third.data.map(({ id }) => id)).toEqual(newest.slice(20));
});

it('GET /v1/generations filters by dates, both ends included, in any time zone', async () => {
  const { service, ids } = await withCallsAt(...times);
  const range = async (query: string) => {
    const reply = await (await get(service, `/v1/generations?limit=100&${query}`)).json();
    const { data, total } = UsageHistory.parse(reply);
    expect(total).toBe(data.length);
    return data.map(({ id }) => id).reverse();
  };
  expect(await range('dateFrom=2026-01-01T23:00:00Z')).toEqual(ids.slice(23));
  expect(await range('dateTo=2026-01-01T01:00:00Z')).toEqual(ids.slice(0, 2));
  const moscow = encodeURIComponent('2026-01-01T05:00:00+03:00');
  expect(await range(`dateFrom=${moscow}&dateTo=2026-01-01T03:00:00Z`)).toEqual(ids.slice(2, 4));
  expect(await range('dateFrom=2026-02-01T00:00:00Z')).toEqual([]);
});

it('GET /v1/generations refuses a range whose end is before its beginning', async () => {
  const query = 'dateFrom=2026-01-02T00:00:00Z&dateTo=2026-01-01T00:00:00Z';
  expect((await get(openService(), `/v1/generations?${query}`)).status).toBe(400);
});

it('GET /v1/generations/{id} shows a record to its owner alone', async () => {
  const service = openService();
  const response = await post(service, path, ask, keys.sandbox);
  const where = `/v1/generations/${response.headers.get('x-svc-generation-id') ?? ''}`;
  expect((await get(service, where, keys.sandbox)).status).toBe(200);
  expect((await get(service, where, keys.local)).status).toBe(404);
  expect((await get(service, '/v1/generations/gen_unknown')).status).toBe(404);
});

it('spend of a key is reported for the local day and month', async () => {
  vi.stubEnv('TZ', 'Europe/Moscow');
  const { service, clock } = await withCallsAt(
    '2025-12-31T20:59:59.999Z',
    '2025-12-31T21:00:00Z',
    '2026-01-14T20:59:59Z',
    '2026-01-14T21:00:00Z',
    '2026-01-15T11:00:00Z',
  );
  clock.set(Date.parse('2026-01-15T12:00:00Z'));
  expect(await (await get(service, '/api/key/usage')).json()).toEqual({
    key: 'local',
    balance_rub: 999.9996,
    currency: 'RUB',
    spent_today_rub: 0.00016,
    spent_month_rub: 0.00032,
    requests: 5,
  });
  vi.unstubAllEnvs();
});

it('spend is reported by key, model and route', async () => {
  const service = openService();
  await post(service, path, ask);
  await post(service, path, ask);
  await post(service, path, { ...ask, model: 'echo:economy' });
  await post(service, path, ask, keys.sandbox);
  const Usage = z.object({ data: z.array(z.looseObject({})) });
  const { data } = await read(get(service, '/v1/usage'), Usage);
  expect(data).toEqual([
    {
      key: 'local',
      model: 'local/echo',
      route: ':economy',
      address_as: 'local/echo:economy',
      requests: 1,
      promptTokens: 2,
      completionTokens: 2,
      priceRub: 0.00004,
    },
    {
      key: 'local',
      model: 'local/echo',
      route: ':standard',
      address_as: 'local/echo:standard',
      requests: 2,
      promptTokens: 4,
      completionTokens: 4,
      priceRub: 0.00016,
    },
  ]);
});

const Keys = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({ id: z.string(), name: z.string(), last_used_at: z.nullable(z.string()) }),
  ),
});

it("GET /v1/keys lists the account's own keys", async () => {
  const service = openService({ clock: new FakeClock(Date.UTC(2026, 0, 15, 12)) });
  const { data } = await read(get(service, '/v1/keys'), Keys);
  expect(data.map(({ name }) => name)).toEqual(['local', 'local-blocked', 'local-limited']);
  expect(data[1]).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
    object: 'api_key',
    name: 'local-blocked',
    prefix: 'sk-svc-',
    last_four: 'cked',
    ip_allow_list: ['203.0.113.1'],
    sandbox: false,
    created_at: '2026-01-15T12:00:00.000Z',
    last_used_at: null,
  });
  const other = await read(get(service, '/v1/keys', keys.sandbox), Keys);
  expect(other.data).toMatchObject([{ name: 'local-sandbox', sandbox: true }]);
});

it('GET /v1/keys never shows a key', async () => {
  const text = await (await get(openService(), '/v1/keys')).text();
  // Every other key begins with this one.
  expect(text).not.toContain(keys.local);
});

it('GET /v1/keys says when a key last paid for something', async () => {
  const clock = new FakeClock();
  const service = openService({ clock });
  clock.set(Date.UTC(2026, 1, 1));
  await post(service, '/v1/embeddings', { model: 'embed', input: 'a' });
  const { data } = await read(get(service, '/v1/keys'), Keys);
  expect(data.map(({ last_used_at }) => last_used_at)).toEqual([
    '2026-02-01T00:00:00.000Z',
    null,
    null,
  ]);
});
