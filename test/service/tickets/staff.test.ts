import { describe, expect, it } from 'vitest';
import { created, open, replied, replyMs, threadOf } from './helpers.js';

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
});
