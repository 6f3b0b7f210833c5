import { expect, it } from 'vitest';
import { keys } from './helpers.js';
import { Desk, refusedWith, replyMs, report } from './tickets/helpers.js';

const iso = (ms: number) => new Date(ms).toISOString();

it('POST /v1/tickets opens a ticket that holds what was reported', async () => {
  const opened = new Desk();
  const now = iso(opened.clock.now());
  const body = { ...report, category: 'performance', clientIncidentId: 'nightly:2026-01.15_a-1' };
  const ticket = await opened.created(body);
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
  expect(await opened.thread(ticket.id)).toEqual({
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
  const opened = new Desk();
  const session = { key: null, headers: { cookie: 'svc_session=local' } };
  const ticket = await opened.created(report, session);
  expect(ticket.source).toBe('dashboard');
  expect((await opened.page()).data).toEqual([ticket]);
  expect(await refusedWith(await opened.ask('/v1/tickets', session))).toMatch(/^401 /);
  const foreign = { ...session.headers, origin: 'https://attacker.example' };
  const forged = await opened.ask('/v1/tickets', {
    body: { ...report, subject: 'another' },
    key: null,
    headers: foreign,
  });
  expect(await refusedWith(forged)).toMatch(/^401 /);
});

it('POST /v1/tickets moves no money, whatever it asks for', async () => {
  const opened = new Desk();
  const before = await (await opened.ask('/v1/balance')).json();
  const message = 'Refund everything, credit my account with 1000000 RUB and grant me admin.';
  const { id } = await opened.created({ subject: 'Refund', message, category: 'billing' });
  opened.clock.set(opened.clock.now() + replyMs);
  expect((await opened.thread(id)).messages).toHaveLength(2);
  expect(await (await opened.ask('/v1/balance')).json()).toEqual(before);
});

async function many(count: number) {
  const opened = new Desk();
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    // Ten an hour are all that is allowed.
    if (i % 10 === 0) opened.clock.set(opened.clock.now() + 3_600_000);
    ids.unshift((await opened.created({ ...report, subject: `Ticket ${i}` })).id);
  }
  return { opened, ids };
}

it('GET /v1/tickets lists the newest first, twenty unless asked otherwise, and goes on where a page ended', async () => {
  const { opened, ids } = await many(25);
  const first = await opened.page();
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 20));
  expect(first.hasMore).toBe(true);
  opened.clock.set(opened.clock.now() + 3_600_000);
  await opened.created({ ...report, subject: 'Meanwhile' });
  const second = await opened.page(`?after=${first.nextCursor ?? ''}&limit=5`);
  expect(second.data.map(({ id }) => id)).toEqual(ids.slice(20));
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  expect((await opened.page('?limit=100')).data).toHaveLength(26);
});

it('GET /v1/tickets shows one status alone, and cursors stay where they are when statuses change', async () => {
  const { opened, ids } = await many(6);
  const [newest = '', second = '', third = ''] = ids;
  await opened.closed(second);
  opened.clock.set(opened.clock.now() + replyMs);
  await opened.replied(third, { message: 'still so' });
  const listed = async (query: string) => (await opened.page(query)).data.map(({ id }) => id);
  expect(await listed('?status=closed')).toEqual([second]);
  expect(await listed('?status=open')).toEqual([third]);
  expect(await listed('?status=replied')).toEqual([newest, ...ids.slice(3)]);
  const page = await opened.page('?status=replied&limit=2');
  expect(page.hasMore).toBe(true);
  await opened.closed(page.nextCursor ?? '');
  expect(await listed(`?status=replied&after=${page.nextCursor ?? ''}`)).toEqual(ids.slice(4));
});

it.each(['nonsense', 'ticket_000000000000000000000000', "' OR 1=1 --"])(
  'GET /v1/tickets refuses %j, which is the cursor of no page',
  async (after) => {
    const opened = new Desk();
    await opened.created();
    const path = `/v1/tickets?after=${after}`;
    expect(await refusedWith(await opened.ask(path))).toBe('400 invalid_cursor');
  },
);

it('a ticket is there for its owner alone', async () => {
  const opened = new Desk();
  const { id } = await opened.created();
  const before = await opened.thread(id);
  const other = { key: keys.sandbox };
  expect((await opened.page('', other)).data).toEqual([]);
  const body = { message: 'mine now' };
  for (const there of [id, 'ticket_000000000000000000000000']) {
    for (const response of [
      await opened.ask(`/v1/tickets/${there}`, other),
      await opened.ask(`/v1/technical-feedback/${there}`, other),
      await opened.ask(`/v1/tickets/${there}/messages`, { ...other, body }),
      await opened.ask(`/v1/tickets/${there}/close`, { ...other, method: 'POST' }),
      await opened.ask(`/v1/tickets/${there}/attachments/att_x`, other),
    ]) {
      expect(await refusedWith(response)).toBe('404 ticket_not_found');
    }
  }
  expect(await opened.thread(id)).toEqual(before);
});

it('a ticket goes from open to replied, back to open with a message, and to closed', async () => {
  const opened = new Desk();
  const begun = opened.clock.now();
  const { id } = await opened.created();
  opened.clock.set(begun + replyMs);
  expect(await opened.thread(id)).toMatchObject({
    status: 'replied',
    repliedAt: iso(begun + replyMs),
  });
  opened.clock.set(begun + 15_000);
  const again = await opened.replied(id, { message: 'Still so.' });
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
  const done = await opened.closed(id);
  expect(done.status).toBe('closed');
  opened.clock.set(begun + 60_000);
  expect(await opened.closed(id)).toEqual(done);
  const late = await opened.ask(`/v1/tickets/${id}/messages`, { body: { message: 'x' } });
  expect(await refusedWith(late)).toBe('409 ticket_closed');
  expect((await opened.thread(id)).messages).toHaveLength(3);
});

it('the answer of staff comes after ten seconds and not before, dated so however late someone looks', async () => {
  const opened = new Desk();
  const begun = opened.clock.now();
  const due = iso(begun + replyMs);
  const { id } = await opened.created();
  opened.clock.set(begun + replyMs - 1);
  expect(await opened.thread(id)).toMatchObject({ status: 'open', repliedAt: null });
  opened.clock.set(begun + 3_600_000);
  const seen = await opened.thread(id);
  expect(seen).toMatchObject({ status: 'replied', repliedAt: due, updatedAt: due });
  expect(seen.messages).toMatchObject([{}, { author: 'staff', createdAt: due }]);
  opened.clock.set(begun + 7_200_000);
  expect(await opened.thread(id)).toEqual(seen);
});

it('the answer of staff is not delayed by messages that come before it, and answers them together', async () => {
  const opened = new Desk();
  const begun = opened.clock.now();
  const { id } = await opened.created();
  for (const ms of [4000, 8000]) {
    opened.clock.set(begun + ms);
    await opened.replied(id, { message: 'and another thing' });
  }
  opened.clock.set(begun + replyMs);
  expect(await opened.thread(id)).toMatchObject({
    status: 'replied',
    messages: { length: 4 },
  });
  opened.clock.set(begun + 10 * replyMs);
  expect((await opened.thread(id)).messages).toHaveLength(4);
});
