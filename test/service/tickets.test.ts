import { expect, it } from 'vitest';
import { keys } from './helpers.js';
import {
  ask,
  closed,
  created,
  open,
  pageOf,
  refusedWith,
  replied,
  replyMs,
  report,
  threadOf,
} from './tickets/helpers.js';

const iso = (ms: number) => new Date(ms).toISOString();

it('POST /v1/tickets opens a ticket that holds what was reported', async () => {
  const opened = open();
  const now = iso(opened.clock.now());
  const body = { ...report, category: 'performance', clientIncidentId: 'nightly:2026-01.15_a-1' };
  const ticket = await created(opened, body);
  expect(ticket).toEqual({
    id: ticket.id,
    object: 'ticket',
    subject: report.subject,
    category: 'performance',
    source: 'api',
    status: 'open',
    requestIds: [],
    clientIncidentId: 'nightly:2026-01.15_a-1',
    occurrences: 1,
    createdAt: now,
    updatedAt: now,
    repliedAt: null,
  });
  expect(await threadOf(opened, ticket.id)).toEqual({
    ...ticket,
    messages: [
      {
        id: expect.stringMatching(/^tmsg_/),
        author: 'client',
        body: report.message,
        createdAt: now,
        attachments: [],
      },
    ],
  });
});

it('POST /v1/tickets takes a cabinet session, and says that the ticket came by it', async () => {
  const opened = open();
  const session = { key: null, headers: { cookie: 'svc_session=local' } };
  const ticket = await created(opened, report, session);
  expect(ticket.source).toBe('dashboard');
  expect((await pageOf(opened)).data).toEqual([ticket]);
  expect(await refusedWith(await ask(opened, '/v1/tickets', session))).toMatch(/^401 /);
  const foreign = { ...session.headers, origin: 'https://attacker.example' };
  const forged = await ask(opened, '/v1/tickets', {
    body: { ...report, subject: 'another' },
    key: null,
    headers: foreign,
  });
  expect(await refusedWith(forged)).toMatch(/^401 /);
});

it('POST /v1/tickets moves no money, whatever it asks for', async () => {
  const opened = open();
  const before = await (await ask(opened, '/v1/balance')).json();
  const message = 'Refund everything, credit my account with 1000000 RUB and grant me admin.';
  const { id } = await created(opened, { subject: 'Refund', message, category: 'billing' });
  opened.clock.set(opened.clock.now() + replyMs);
  expect((await threadOf(opened, id)).messages).toHaveLength(2);
  expect(await (await ask(opened, '/v1/balance')).json()).toEqual(before);
});

async function many(count: number) {
  const opened = open();
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    // Ten an hour are all that is allowed.
    if (i % 10 === 0) opened.clock.set(opened.clock.now() + 3_600_000);
    ids.unshift((await created(opened, { ...report, subject: `Ticket ${i}` })).id);
  }
  return { opened, ids };
}

it('GET /v1/tickets lists the newest first, twenty unless asked otherwise, and goes on where a page ended', async () => {
  const { opened, ids } = await many(25);
  const first = await pageOf(opened);
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 20));
  expect(first.hasMore).toBe(true);
  opened.clock.set(opened.clock.now() + 3_600_000);
  await created(opened, { ...report, subject: 'Meanwhile' });
  const second = await pageOf(opened, `?after=${first.nextCursor ?? ''}&limit=5`);
  expect(second.data.map(({ id }) => id)).toEqual(ids.slice(20));
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  expect((await pageOf(opened, '?limit=100')).data).toHaveLength(26);
});

it('GET /v1/tickets shows one status alone, and cursors stay where they are when statuses change', async () => {
  const { opened, ids } = await many(6);
  const [newest = '', second = '', third = ''] = ids;
  await closed(opened, second);
  opened.clock.set(opened.clock.now() + replyMs);
  await replied(opened, third, { message: 'still so' });
  const listed = async (query: string) => (await pageOf(opened, query)).data.map(({ id }) => id);
  expect(await listed('?status=closed')).toEqual([second]);
  expect(await listed('?status=open')).toEqual([third]);
  expect(await listed('?status=replied')).toEqual([newest, ...ids.slice(3)]);
  const page = await pageOf(opened, '?status=replied&limit=2');
  expect(page.hasMore).toBe(true);
  await closed(opened, page.nextCursor ?? '');
  expect(await listed(`?status=replied&after=${page.nextCursor ?? ''}`)).toEqual(ids.slice(4));
});

it.each(['nonsense', 'ticket_000000000000000000000000', "' OR 1=1 --"])(
  'GET /v1/tickets refuses %j, which is the cursor of no page',
  async (after) => {
    const opened = open();
    await created(opened);
    const path = `/v1/tickets?after=${after}`;
    expect(await refusedWith(await ask(opened, path))).toBe('400 invalid_cursor');
  },
);

it('a ticket is there for its owner alone', async () => {
  const opened = open();
  const { id } = await created(opened);
  const before = await threadOf(opened, id);
  const other = { key: keys.sandbox };
  expect((await pageOf(opened, '', other)).data).toEqual([]);
  const body = { message: 'mine now' };
  for (const there of [id, 'ticket_000000000000000000000000']) {
    for (const response of [
      await ask(opened, `/v1/tickets/${there}`, other),
      await ask(opened, `/v1/technical-feedback/${there}`, other),
      await ask(opened, `/v1/tickets/${there}/messages`, { ...other, body }),
      await ask(opened, `/v1/tickets/${there}/close`, { ...other, method: 'POST' }),
      await ask(opened, `/v1/tickets/${there}/attachments/att_x`, other),
    ]) {
      expect(await refusedWith(response)).toBe('404 ticket_not_found');
    }
  }
  expect(await threadOf(opened, id)).toEqual(before);
});

it('a ticket goes from open to replied, back to open with a message, and to closed', async () => {
  const opened = open();
  const begun = opened.clock.now();
  const { id } = await created(opened);
  opened.clock.set(begun + replyMs);
  expect(await threadOf(opened, id)).toMatchObject({
    status: 'replied',
    repliedAt: iso(begun + replyMs),
  });
  opened.clock.set(begun + 15_000);
  const again = await replied(opened, id, { message: 'Still so.' });
  expect(again).toMatchObject({
    status: 'open',
    updatedAt: iso(begun + 15_000),
    repliedAt: iso(begun + replyMs),
  });
  expect(again.messages.map(({ author, body }) => [author, body])).toEqual([
    ['client', report.message],
    ['staff', expect.any(String)],
    ['client', 'Still so.'],
  ]);
  const done = await closed(opened, id);
  expect(done.status).toBe('closed');
  opened.clock.set(begun + 60_000);
  expect(await closed(opened, id)).toEqual(done);
  const late = await ask(opened, `/v1/tickets/${id}/messages`, { body: { message: 'x' } });
  expect(await refusedWith(late)).toBe('409 ticket_closed');
  expect((await threadOf(opened, id)).messages).toHaveLength(3);
});

it('the answer of staff comes after ten seconds and not before, dated so however late someone looks', async () => {
  const opened = open();
  const begun = opened.clock.now();
  const due = iso(begun + replyMs);
  const { id } = await created(opened);
  opened.clock.set(begun + replyMs - 1);
  expect(await threadOf(opened, id)).toMatchObject({ status: 'open', repliedAt: null });
  opened.clock.set(begun + 3_600_000);
  const seen = await threadOf(opened, id);
  expect(seen).toMatchObject({ status: 'replied', repliedAt: due, updatedAt: due });
  expect(seen.messages).toMatchObject([{}, { author: 'staff', createdAt: due }]);
  opened.clock.set(begun + 7_200_000);
  expect(await threadOf(opened, id)).toEqual(seen);
});

it('the answer of staff is not delayed by messages that come before it, and answers them together', async () => {
  const opened = open();
  const begun = opened.clock.now();
  const { id } = await created(opened);
  for (const ms of [4000, 8000]) {
    opened.clock.set(begun + ms);
    await replied(opened, id, { message: 'and another thing' });
  }
  opened.clock.set(begun + replyMs);
  expect(await threadOf(opened, id)).toMatchObject({
    status: 'replied',
    messages: { length: 4 },
  });
  opened.clock.set(begun + 10 * replyMs);
  expect((await threadOf(opened, id)).messages).toHaveLength(4);
});
