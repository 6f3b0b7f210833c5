import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { GenerateReply } from '../../../src/contract/media.js';
import { read } from '../helpers.js';
import {
  balanceOf,
  day,
  expectBalanced,
  film,
  finished,
  follow,
  jobOf,
  lighthouse,
  open,
  refusedWith,
  send,
  started,
  type Opened,
} from './helpers.js';

const path = '/api/media/svc/extend';
const filmRub = 1.2;
const liteRub = 7.2;
const Price = z.looseObject({ ok: z.literal(true), tier: z.string(), priceRub: z.number() });

function extended(opened: Opened, body: object) {
  const order = { prompt: 'a lighthouse', tier: 'lite', ...body };
  return read(send(opened, path, order), GenerateReply, 202);
}

it('POST /api/media/svc/extend/price gives a price for each tier', async () => {
  const prices: number[] = [];
  for (const tier of ['lite', 'fast', 'quality']) {
    const price = await read(send(open(), `${path}/price`, { tier }), Price);
    expect(price.tier).toBe(tier);
    prices.push(price.priceRub);
  }
  expect(prices).toEqual([liteRub, 12, 19.2]);
});

it('POST /api/media/svc/extend starts a job whose film is longer, at the price of the tier', async () => {
  const opened = open({ jobTimeMs: 5000 });
  const { jobId: taskId } = await finished(opened, film);
  const { jobId, ...reply } = await extended(opened, { taskId });
  expect(reply).toMatchObject({
    status: 'processing',
    model: 'local/reel',
    provider: 'flow',
    priceRub: liteRub,
  });
  expect(await balanceOf(opened)).toBeCloseTo(1000 - filmRub - liteRub, 6);
  expect(await jobOf(opened, jobId)).toMatchObject({ status: 'processing' });
  opened.clock.set(opened.clock.now() + 5000);
  expect(await jobOf(opened, jobId)).toMatchObject({
    status: 'success',
    resultUrls: [expect.any(String)],
    resultMeta: { seconds: 4 },
  });
  await expectBalanced(opened);
});

it('POST /api/media/svc/extend makes a film that can be extended again, by seeds and with a mark', async () => {
  const opened = open({ jobTimeMs: 0 });
  const { jobId: taskId } = await finished(opened, film);
  const first = await extended(opened, { taskId, prompt: 'a storm', seeds: 7, watermark: 'me' });
  const second = await extended(opened, { taskId: first.jobId });
  const job = await jobOf(opened, second.jobId);
  expect(job).toMatchObject({ status: 'success', resultMeta: { seconds: 7 } });
  const response = await follow(opened, `${job.resultUrls?.[0] ?? ''}&download=1`);
  expect(response.headers.get('content-type')).toBe('video/mp4');
  expect(response.headers.get('content-disposition')).toContain(`${second.jobId}-0.mp4`);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
});

it('POST /api/media/svc/extend is refused without what it needs, and with what it does not know', async () => {
  const opened = open();
  const { jobId: taskId } = await finished(opened, film);
  const body = { taskId, prompt: 'on', tier: 'lite' };
  for (const [other, refused] of [
    [{ prompt: '' }, '400 invalid_request'],
    [{ seeds: -1 }, '400 invalid_request'],
    [{ opts: {} }, '400 unknown_field'],
  ] as const) {
    const response = await send(opened, path, { ...body, ...other });
    expect(await refusedWith(response), JSON.stringify(other)).toBe(refused);
  }
  expect(await balanceOf(opened)).toBeCloseTo(1000 - filmRub, 6);
});

it('POST /api/media/svc/extend finds no film that is missing, unfinished, expired or not a film', async () => {
  const opened = open({ jobTimeMs: 5000 });
  const picture = await finished(opened, lighthouse);
  const old = await finished(opened, film);
  opened.clock.set(opened.clock.now() + 7 * day);
  const failed = await started(opened, { ...film, model: 'reel:failing' });
  opened.clock.set(opened.clock.now() + 5000);
  const running = await started(opened, film);
  for (const [taskId, refused] of [
    ['job_x', '404 task_not_found'],
    [picture.jobId, '404 task_not_found'],
    [old.jobId, '404 task_expired'],
    [failed.jobId, '404 task_not_finished'],
    [running.jobId, '404 task_not_finished'],
  ] as const) {
    const response = await send(opened, path, { taskId, prompt: 'on', tier: 'lite' });
    expect(await refusedWith(response)).toBe(refused);
  }
});
