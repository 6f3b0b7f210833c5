/** What an Idempotency-Key does on the rows that are paid and sent once. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpoints } from '../../src/contract/index.js';
import { keys } from './helpers.js';
import {
  balanceOf,
  canvasRub,
  film,
  finished,
  historyOf,
  lighthouse,
  open,
  quoted,
  started,
  type Opened,
} from './media/helpers.js';
import { paidRows, type Asked, type PaidRow } from './paid-rows.js';
import { listed, remove } from './voices/helpers.js';

const named = ['x-svc-media-job-id', 'x-svc-generation-id'];

/** Status and code of a refusal, whatever the family of the endpoint. */
async function refusedWith(response: Response): Promise<string> {
  const code = /"code":"(\w+)"/.exec(await response.text())?.[1];
  return `${response.status} ${code}`;
}

function rowOf(wanted: string): PaidRow {
  const row = paidRows.find(({ id }) => id === wanted);
  if (!row) throw new Error(`no paid row is ${wanted}`);
  return row;
}

/** All that an answer says. */
async function contentOf(response: Response) {
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  return { status: response.status, ids: named.map((name) => response.headers.get(name)), body };
}

describe.each(paidRows)('an Idempotency-Key of $id', ({ id, status, rub, call }) => {
  let opened: Opened;
  let taskId: string | undefined;
  let balance: number;
  let records: number;

  beforeEach(async () => {
    opened = open();
    if (id === 'media.extend') ({ jobId: taskId } = await finished(opened, film));
    balance = await balanceOf(opened);
    records = (await historyOf(opened)).length;
  });

  const ask = (asked: Asked) => call(opened.service, { taskId, ...asked });
  const spent = async () => ({
    rub: Number((balance - (await balanceOf(opened))).toFixed(6)),
    records: (await historyOf(opened)).length - records,
  });

  it('gives the same answer to the same request, and takes nothing more', async () => {
    const first = await contentOf(await ask({ key: 'k1' }));
    expect(first.status).toBe(status);
    opened.clock.set(opened.clock.now() + 3_600_000);
    expect(await contentOf(await ask({ key: 'k1' }))).toEqual(first);
    expect(await spent()).toEqual({ rub, records: 1 });
  });

  it('is one call of twenty at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, async () => contentOf(await ask({ key: 'k1' }))),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]?.status).toBe(status);
    expect(await spent()).toEqual({ rub, records: 1 });
  });

  it('is refused with another request, and on another endpoint', async () => {
    await contentOf(await ask({ key: 'k1' }));
    expect(await refusedWith(await ask({ key: 'k1', other: true }))).toBe(
      '409 idempotency_key_reused',
    );
    const elsewhere = rowOf(id === 'audio.speech' ? 'audio.transcription' : 'audio.speech');
    expect(await refusedWith(await elsewhere.call(opened.service, { key: 'k1' }))).toBe(
      '409 idempotency_key_reused',
    );
    expect(await spent()).toEqual({ rub, records: 1 });
  });

  it('is another call with another key, without one, and of another account', async () => {
    await contentOf(await ask({ key: 'k1' }));
    await contentOf(await ask({ key: 'k2' }));
    await contentOf(await ask({}));
    expect(await spent()).toEqual({ rub: Number((3 * rub).toFixed(6)), records: 3 });
    if (id !== 'media.extend') {
      const other = await ask({ key: 'k1', bearer: keys.sandbox });
      expect(other.status).toBe(status);
      await other.arrayBuffer();
      expect(await historyOf(opened, keys.sandbox)).toHaveLength(1);
    }
  });

  it('is free again after a refusal', async () => {
    const poor = open({ openingBalanceRub: 0.01 });
    if (id !== 'media.extend') {
      expect((await call(poor.service, { key: 'k1' })).status).toBe(402);
      expect((await call(poor.service, { key: 'k1', other: true })).status).toBe(402);
    } else {
      expect((await ask({ key: 'k1', taskId: 'job_none' })).status).toBe(404);
      expect((await ask({ key: 'k1' })).status).toBe(202);
    }
  });

  it.each(['', 'x'.repeat(256)])('is refused as %j', async (key) => {
    expect(await refusedWith(await ask({ key }))).toBe('400 invalid_request');
    expect(await spent()).toEqual({ rub: 0, records: 0 });
  });

  it('is described, and leaves the endpoint one that is sent once', () => {
    const row: Endpoint | undefined = endpoints.find((one) => one.id === id);
    expect(Object.keys(row?.headers ?? {}).join()).toMatch(/idempotency-key/i);
    // Jobs alone may be sent again by svc itself.
    expect(row?.retry).toBe(id === 'media.generate' ? 'idempotent' : 'never');
  });
});

it('what a key stands for is the same job when its quote is used and its price was the last of the balance', async () => {
  const opened = open({ openingBalanceRub: canvasRub, quoteTtlMs: 1000 });
  const { quoteId: quote_id } = await quoted(opened, lighthouse);
  const body = { ...lighthouse, quote_id };
  const keyed = { headers: { 'idempotency-key': 'k1' } };
  const { jobId } = await started(opened, body, keyed);
  opened.clock.set(opened.clock.now() + 5000);
  expect(await started(opened, body, keyed)).toMatchObject({ jobId });
});

it('what a key stands for is an image that is waited for, when it was still being made', async () => {
  const opened = open({ imageDeadlineMs: 1000 });
  const { call } = rowOf('images.create');
  const replies = [];
  for (let i = 0; i < 5; i += 1)
    replies.push(await contentOf(await call(opened.service, { key: 'k' })));
  expect(replies.map((reply) => reply.status)).toEqual([504, 504, 504, 200, 200]);
  expect(new Set(replies.map(({ ids }) => ids[0])).size).toBe(1);
  expect(await historyOf(opened)).toHaveLength(1);
});

it('what a key stands for is the voice that was made, though it was deleted since', async () => {
  const opened = open();
  const { call } = rowOf('voices.create');
  const first = await contentOf(await call(opened.service, { key: 'k' }));
  const [voice] = (await listed(opened)).voices;
  await remove(opened, voice?.id ?? '');
  expect(await contentOf(await call(opened.service, { key: 'k' }))).toEqual(first);
  expect((await listed(opened)).voices).toEqual([]);
});

it('what a key stands for is nothing once the image has failed: the next call makes another', async () => {
  const opened = open({ openingBalanceRub: 2.4, imageDeadlineMs: 1000 });
  const { call } = rowOf('images.create');
  expect((await call(opened.service, { key: 'k' })).status).toBe(504);
  // Spends what the image would have cost.
  await (await rowOf('audio.speech').call(opened.service, {})).arrayBuffer();
  opened.clock.set(opened.clock.now() + 10_000);
  const failed = await call(opened.service, { key: 'k' });
  expect(failed.status).toBe(402);
  // Refused for the balance now, and no longer the job that failed.
  const again = await call(opened.service, { key: 'k' });
  expect([again.status, again.headers.get('x-svc-media-job-id')]).toEqual([402, null]);
});
