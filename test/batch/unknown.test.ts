import { describe, expect, it } from 'vitest';
import { findCharged, type Unanswered } from '../../src/batch/unknown.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import type { HttpRequest } from '../../src/http/types.js';
import { clientOver, json } from '../api/client.js';
import { pageOf, recordAt, type HistoryRecord } from '../helpers/history.js';
import { scripted } from '../helpers/scripted-transport.js';

const hourMs = 3_600_000;

/** What is found in these records by a client at `nowMs`, in hours. */
async function found(
  records: readonly HistoryRecord[],
  unanswered: readonly Unanswered[],
  { nowMs = 2 * hourMs, claimed = [] as readonly string[] } = {},
) {
  const client = clientOver([
    (request: HttpRequest) =>
      scripted(json(pageOf(records, request.url.searchParams))).transport(request),
  ]);
  client.clock.pass(nowMs - client.clock.now());
  const findings = await findCharged(client, unanswered, (id) => claimed.includes(id));
  const asked = client.requests.map(({ url }) => url.searchParams.get('dateFrom'));
  return { free: findings.free, records: findings.records.map(({ id }) => id), asked };
}

/** Sent between one hour after the beginning of time and 10 seconds later. */
function sent(id: string, model: string | undefined): Unanswered {
  const row = createChatCompletion;
  return { id, model, row, sentAfterMs: hourMs, sentBeforeMs: hourMs + 10_000 };
}
const at = (id: string, model: string, ms = hourMs + 5000) => recordAt(id, ms, model);
const from = new Date(hourMs - 30_000).toISOString();

describe('requests without an answer', () => {
  it('were not charged where no usage record of their model is without an answer', async () => {
    const records = [at('theirs', 'vendor/other'), at('claimed', 'vendor/m')];
    const findings = await found(records, [sent('a', 'vendor/m')], { claimed: ['claimed'] });
    expect(findings).toEqual({ free: ['a'], records: [], asked: [from] });
  });

  it.each([
    ['vendor/m', 'vendor/m'],
    ['vendor/m:cheap', 'vendor/m'],
    ['m', 'vendor/m'],
    ['vendor/m', 'm'],
    ['vendor/m', 'vendor/m-2026-11'],
    [undefined, 'search-engine'],
    ['vendor/m', ''],
  ])('for %s may be charged by a record for %s', async (asked, recorded) => {
    const records = [at('r1', recorded)];
    const findings = await found(records, [sent('a', asked), sent('b', 'vendor/free')]);
    const isForAll = recorded === '';
    expect(findings).toMatchObject({ free: isForAll ? [] : ['b'], records: ['r1'] });
  });

  it('stay unknown, all of one model, where fewer records are without an answer', async () => {
    const findings = await found(
      [at('r1', 'm')],
      ['a', 'b', 'c'].map((id) => sent(id, 'm')),
    );
    expect(findings).toMatchObject({ free: [], records: ['r1'] });
  });

  it('stay unknown as long as they may be processed', async () => {
    const nowMs = hourMs + 10_000 + 10 * 60_000 + 29_000;
    expect(await found([], [sent('a', 'm')], { nowMs })).toMatchObject({ free: [], asked: [] });
    const later = await found([], [sent('a', 'm')], { nowMs: nowMs + 2000 });
    expect(later.free).toEqual(['a']);
  });

  it('are not searched for further than needed', async () => {
    const records = Array.from({ length: 500 }, (_, nth) => at(`r${nth}`, 'm', hourMs + nth));
    const { asked, free } = await found(records.reverse(), [sent('a', 'm')]);
    expect([asked.length, free]).toEqual([1, []]);
  });

  it('stay unknown where the records cannot be read', async () => {
    const client = clientOver([json({ error: 'broken' }, 400)]);
    client.clock.pass(2 * hourMs);
    const findings = await findCharged(client, [sent('a', 'm')], () => false);
    expect(findings).toEqual({ free: [], records: [] });
  });
});
