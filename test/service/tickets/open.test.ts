import { expect, it } from 'vitest';
import { keys } from '../helpers.js';
import { randomId } from '../../../src/service/ids.js';
import {
  formOf,
  hour,
  images,
  minute,
  Desk,
  DeskOnDisk,
  refusedWith,
  replyMs,
  report,
} from './helpers.js';

/** A service whose new ids are all the one in `ids.taken`, once there is one. */
function openWithIds() {
  const ids: { taken?: string | undefined } = {};
  return { ids, opened: new DeskOnDisk({ newId: () => ids.taken ?? randomId() }) };
}

/** The id of the first message of a ticket, which no other message can have. */
async function takenBy(opened: Desk, id: string) {
  const [message] = (await opened.thread(id)).messages;
  return message?.id.replace('tmsg_', '');
}

it('a ticket that cannot be written to its end is not there at all, leaves no file, and is not counted', async () => {
  const { ids, opened } = openWithIds();
  const first = await opened.created();
  const other = { ...report, subject: 'another', clientIncidentId: 'i1' };
  ids.taken = await takenBy(opened, first.id);
  for (let i = 0; i < 20; i += 1) {
    const body = formOf(other, [{ bytes: images.png }]);
    expect((await opened.ask('/v1/tickets', { body })).status).toBe(500);
  }
  ids.taken = undefined;
  expect((await opened.page()).data).toEqual([first]);
  expect(opened.kept()).toEqual([]);
  // Nine more, as if nothing had happened.
  for (let i = 0; i < 9; i += 1) await opened.created({ ...report, subject: `Report ${i}` });
  opened.clock.set(opened.clock.now() + hour);
  await opened.created(other);
});

it('a message that cannot be written to its end is not there at all, is not counted, and the ticket stays as it was', async () => {
  const { ids, opened } = openWithIds();
  const { id } = await opened.created();
  opened.clock.set(opened.clock.now() + replyMs);
  const before = await opened.thread(id);
  ids.taken = await takenBy(opened, id);
  const body = { message: 'x' };
  for (let i = 0; i < 60; i += 1) {
    expect((await opened.ask(`/v1/tickets/${id}/messages`, { body })).status).toBe(500);
  }
  ids.taken = undefined;
  expect(await opened.thread(id)).toEqual(before);
  expect((await opened.replied(id, body)).messages).toHaveLength(3);
});

const numbered = (n: number) => ({ ...report, subject: `Report ${n}` });

/** Ten tickets, a minute apart. */
async function ten() {
  const opened = new Desk();
  const begun = opened.clock.now();
  for (let i = 0; i < 10; i += 1) {
    opened.clock.set(begun + i * minute);
    await opened.created({ ...numbered(i), clientIncidentId: `i${i}` });
  }
  return { opened, begun };
}

async function waitOf(opened: Desk, path: string, body: unknown): Promise<number> {
  const response = await opened.ask(path, { body });
  expect(await refusedWith(response.clone())).toBe('429 rate_limit_exceeded');
  return Number(response.headers.get('retry-after'));
}

it('new tickets are ten an hour, and Retry-After says when the next may come', async () => {
  const { opened, begun } = await ten();
  expect(await waitOf(opened, '/v1/tickets', numbered(10))).toBe(51 * 60);
  opened.clock.set(begun + hour - 1);
  expect(await waitOf(opened, '/v1/tickets', numbered(10))).toBe(1);
  opened.clock.set(begun + hour);
  await opened.created(numbered(10));
  expect(await waitOf(opened, '/v1/tickets', numbered(11))).toBe(60);
  opened.clock.set(begun + hour + minute);
  await opened.created(numbered(11));
});

it('new tickets are counted for the account, not the key or the way they came by', async () => {
  const { opened } = await ten();
  const session = { key: null, headers: { cookie: 'svc_session=local' }, body: numbered(10) };
  expect(await refusedWith(await opened.ask('/v1/tickets', session))).toMatch(/^429 /);
  const { subject: summary, message: details } = numbered(10);
  const legacy = { category: 'other', summary, details };
  expect(await waitOf(opened, '/v1/technical-feedback', legacy)).toBe(51 * 60);
  await opened.created(numbered(10), { key: keys.sandbox });
});

it('messages are sixty an hour in all tickets of the account', async () => {
  const opened = new Desk();
  const begun = opened.clock.now();
  const tickets = [await opened.created(numbered(0)), await opened.created(numbered(1))];
  const path = (n: number) => `/v1/tickets/${tickets[n % 2]?.id ?? ''}/messages`;
  for (let n = 0; n < 60; n += 1) {
    expect((await opened.ask(path(n), { body: { message: `${n}` } })).status).toBe(201);
  }
  expect(await waitOf(opened, path(0), { message: 'more' })).toBe(3600);
  expect(await waitOf(opened, path(1), formOf({ message: 'more' }, [{ bytes: images.gif }]))).toBe(
    3600,
  );
  // New tickets have a pace of their own, and other accounts have theirs.
  await opened.created(numbered(2));
  const other = { key: keys.sandbox };
  const { id } = await opened.created(numbered(3), other);
  await opened.replied(id, { message: 'mine' }, other);
  opened.clock.set(begun + hour);
  await opened.replied(tickets[0]?.id ?? '', { message: 'more' });
  const thread = await opened.thread(tickets[0]?.id ?? '');
  expect(thread.messages.filter(({ author }) => author === 'client')).toHaveLength(32);
});
