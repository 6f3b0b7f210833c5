import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { FakeClock } from '../helpers.js';
import {
  ask,
  closed,
  created,
  open,
  pageOf,
  replied,
  replyMs,
  report,
  threadOf,
} from './helpers.js';

const iso = (ms: number) => new Date(ms).toISOString();

describe('the answer of staff', () => {
  it('comes after ten seconds and not a moment before, by the clock of the service', async () => {
    const opened = open();
    const begun = opened.clock.now();
    const { id } = await created(opened);
    opened.clock.set(begun + replyMs - 1);
    expect(await threadOf(opened, id)).toMatchObject({ status: 'open', repliedAt: null });
    opened.clock.set(begun + replyMs);
    const thread = await threadOf(opened, id);
    expect(thread).toMatchObject({ status: 'replied', repliedAt: iso(begun + replyMs) });
    expect(thread.messages[1]).toMatchObject({ author: 'staff', createdAt: iso(begun + replyMs) });
  });

  it('comes after the time that was set', async () => {
    const opened = open({ ticketReplyMs: 60_000 });
    const { id } = await created(opened);
    opened.clock.set(opened.clock.now() + 59_999);
    expect((await threadOf(opened, id)).status).toBe('open');
    opened.clock.set(opened.clock.now() + 1);
    expect((await threadOf(opened, id)).status).toBe('replied');
  });

  it('bears its own date, however late someone looks, and is written once', async () => {
    const opened = open();
    const begun = opened.clock.now();
    const { id } = await created(opened);
    opened.clock.set(begun + 3_600_000);
    const seen = await threadOf(opened, id);
    expect(seen).toMatchObject({
      repliedAt: iso(begun + replyMs),
      updatedAt: iso(begun + replyMs),
    });
    opened.clock.set(begun + 7_200_000);
    expect(await threadOf(opened, id)).toEqual(seen);
    expect(seen.messages).toMatchObject([{}, { createdAt: iso(begun + replyMs) }]);
  });

  it('is there for a list by status, and before a close or a message', async () => {
    const opened = open();
    const one = await created(opened, { ...report, subject: 'one' });
    const two = await created(opened, { ...report, subject: 'two' });
    const three = await created(opened, { ...report, subject: 'three' });
    opened.clock.set(opened.clock.now() + replyMs);
    const listed = await pageOf(opened, '?status=replied');
    expect(listed.data.map(({ id }) => id)).toEqual([three.id, two.id, one.id]);
    const authors = (thread: { messages: readonly { author: string }[] }) =>
      thread.messages.map(({ author }) => author);
    await closed(opened, one.id);
    expect(authors(await threadOf(opened, one.id))).toEqual(['client', 'staff']);
    expect(authors(await replied(opened, two.id, { message: 'x' }))).toEqual([
      'client',
      'staff',
      'client',
    ]);
  });

  it('answers each message that opens a ticket again', async () => {
    const opened = open();
    const { id } = await created(opened);
    for (let round = 1; round <= 3; round += 1) {
      opened.clock.set(opened.clock.now() + replyMs);
      const thread = await threadOf(opened, id);
      expect(thread).toMatchObject({ status: 'replied', messages: { length: 2 * round } });
      await replied(opened, id, { message: `round ${round}` });
    }
  });

  it('is not put off by messages that come before it, and answers them together', async () => {
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

  it('does not come to a closed ticket', async () => {
    const opened = open();
    const { id } = await created(opened);
    const done = await closed(opened, id);
    opened.clock.set(opened.clock.now() + 10 * replyMs);
    expect(await threadOf(opened, id)).toMatchObject({ ...done, messages: { length: 1 } });
  });

  it('says that it is automatic, and repeats nothing of the ticket', async () => {
    const opened = open();
    const { id } = await created(opened, { subject: 'zebra one', message: 'zebra two zebra two' });
    opened.clock.set(opened.clock.now() + replyMs);
    const answer = (await threadOf(opened, id)).messages[1]?.body ?? '';
    expect(answer).toContain('by itself');
    expect(answer).not.toContain('zebra');
    expect(answer).toMatch(/^[\x20-\x7e]+$/);
  });

  it('is written by whichever service looks first', async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const clock = new FakeClock();
    const [one, other] = [open({ storePath, clock }), open({ storePath, clock })];
    const { id } = await created({ ...one, clock });
    clock.set(clock.now() + replyMs);
    const threads = await Promise.all(
      [one, other, one, other].map(async ({ service }) =>
        (await ask({ service, clock }, `/v1/tickets/${id}`)).json(),
      ),
    );
    expect(threads[0]).toMatchObject({ ticket: { status: 'replied', messages: { length: 2 } } });
    for (const thread of threads) expect(thread).toEqual(threads[0]);
  });
});
