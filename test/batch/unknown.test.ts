import { describe, expect, it } from 'vitest';
import { findCharged } from '../../src/batch/unknown.js';
import type { HttpRequest } from '../../src/http/types.js';
import { clientOver, json } from '../api/client.js';
import { pageOf, recordAt } from '../helpers/history.js';
import { scripted } from '../helpers/scripted-transport.js';
import { requestOf } from './lines.js';

const hourMs = 3_600_000;
const period = { fromMs: hourMs, untilMs: hourMs + 10_000 };

/** What usage records for these models say of requests for the others, at `nowMs`. */
async function found(
  recorded: readonly string[],
  asked: readonly (string | undefined)[],
  nowMs = 2 * hourMs,
) {
  const records = recorded.map((model, nth) => recordAt(`r${nth}`, hourMs + 5000, model));
  const client = clientOver([
    (request: HttpRequest) =>
      scripted(json(pageOf(records, request.url.searchParams))).transport(request),
  ]);
  client.clock.pass(nowMs - client.clock.now());
  const unanswered = asked.map((model) => ({ ...requestOf('a'), model }));
  const { free, records: named } = await findCharged(client, unanswered, period, () => false);
  return {
    free: free.map(({ model }) => model),
    records: named.length,
    asked: client.requests.map(({ url }) => url.searchParams.get('dateFrom')),
  };
}

describe('requests without an answer', () => {
  it.each([
    ['vendor/m', 'vendor/m'],
    ['vendor/m:cheap', 'vendor/m'],
    ['m', 'vendor/m'],
    ['vendor/m', 'm'],
    ['vendor/m', 'vendor/m-2026-11'],
    [undefined, 'search-engine'],
  ])('for %s may be charged by a record for %s', async (asked, recorded) => {
    expect(await found([recorded], [asked, 'vendor/free', asked])).toEqual({
      free: ['vendor/free'],
      records: 1,
      asked: [new Date(hourMs - 30_000).toISOString()],
    });
  });

  it('may be charged by a record for no model', async () => {
    expect(await found([''], ['vendor/m'])).toMatchObject({ free: [], records: 1 });
  });

  it('stay unknown as long as they may be processed', async () => {
    const nowMs = period.untilMs + 10 * 60_000 + 29_000;
    expect(await found([], ['m'], nowMs)).toMatchObject({ free: [], asked: [] });
    expect(await found([], ['m'], nowMs + 2000)).toMatchObject({ free: ['m'] });
  });

  it('stay unknown where the records cannot be read', async () => {
    const client = clientOver([json({ error: 'broken' }, 400)]);
    client.clock.pass(2 * hourMs);
    const findings = await findCharged(client, [requestOf('a')], period, () => false);
    expect(findings).toEqual({ free: [], records: [] });
  });
});
