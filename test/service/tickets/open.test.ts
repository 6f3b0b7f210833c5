import { describe, expect, it } from 'vitest';
import { randomId } from '../../../src/service/ids.js';
import {
  ask,
  created,
  formOf,
  hour,
  images,
  open,
  openOnDisk,
  pageOf,
  replied,
  replyMs,
  report,
  threadOf,
} from './helpers.js';

/** A service whose next ids are given; the rest are random. */
function openWithIds() {
  const next: string[] = [];
  const newId = () => next.shift() ?? randomId();
  return { next, newId };
}

const idOf = (name = '') => name.slice(name.indexOf('_') + 1);

describe('a ticket that cannot be written to its end', () => {
  it('is not there at all, leaves no file, and is not counted', async () => {
    const { next, newId } = openWithIds();
    const opened = openOnDisk({ newId });
    const first = await created(opened);
    const [message] = (await threadOf(opened, first.id)).messages;
    const other = { ...report, subject: 'another', clientIncidentId: 'i1' };
    for (let i = 0; i < 20; i += 1) {
      // One for the request, two for the file, one for the ticket; the message's is taken already.
      next.push(...Array.from({ length: 4 }, randomId), idOf(message?.id));
      const response = await ask(opened, '/v1/tickets', {
        body: formOf(other, [{ bytes: images.png }]),
      });
      expect(response.status).toBe(500);
      expect(next).toEqual([]);
    }
    expect((await pageOf(opened)).data).toEqual([first]);
    expect(opened.kept()).toEqual([]);
    // Nine more, as if nothing had happened.
    for (let i = 0; i < 9; i += 1) await created(opened, { ...report, subject: `Report ${i}` });
    opened.clock.set(opened.clock.now() + hour);
    await created(opened, other);
  });
});

describe('a message that cannot be written to its end', () => {
  it('is not there at all, is not counted, and the ticket stays as it was', async () => {
    const { next, newId } = openWithIds();
    const opened = open({ newId });
    const { id } = await created(opened);
    opened.clock.set(opened.clock.now() + replyMs);
    const before = await threadOf(opened, id);
    for (let i = 0; i < 60; i += 1) {
      next.push(randomId(), idOf(before.messages[0]?.id));
      const response = await ask(opened, `/v1/tickets/${id}/messages`, { body: { message: 'x' } });
      expect(response.status).toBe(500);
    }
    expect(await threadOf(opened, id)).toEqual(before);
    expect((await replied(opened, id, { message: 'x' })).messages).toHaveLength(3);
  });
});
