import { expect, it } from 'vitest';
import { get, keys } from '../helpers.js';
import {
  balanceOf,
  canvasRub,
  day,
  draft,
  expectBalanced,
  historyOf,
  jobOf,
  lighthouse,
  open,
  origin,
  refusedWith,
  started,
} from './helpers.js';

const failing = { ...lighthouse, model: 'canvas:failing' };

it('GET /api/media/jobs/{id} is processing until its time is over, to the millisecond, and then success', async () => {
  const opened = open({ jobTimeMs: 5000 });
  const { jobId } = await started(opened, { ...draft, opts: { quality: 'draft', n: 3 } });
  const begun = opened.clock.now();
  opened.clock.set(begun + 4999);
  expect(await jobOf(opened, jobId)).toMatchObject({
    status: 'processing',
    resultUrls: [],
    resultsExpireAt: null,
    errorCode: null,
    failMsg: null,
    retryGuidance: null,
    priceRub: 1.8,
  });
  opened.clock.set(begun + 5000);
  const job = await jobOf(opened, jobId);
  expect(job).toMatchObject({
    status: 'success',
    model: 'local/canvas',
    requestedModel: 'local/canvas',
    addressAs: 'local/canvas:standard',
    priceRub: 1.8,
    resultsExpireAt: new Date(begun + 5000 + 7 * day).toISOString(),
    resultMeta: { width: 1024, height: 1024 },
  });
  expect(job.resultUrls).toEqual(
    [0, 1, 2].map((index): unknown =>
      expect.stringMatching(
        new RegExp(`^${origin}/api/media/file/${jobId}/${index}\\?sig=[\\w-]{43}$`),
      ),
    ),
  );
});

it('GET /api/media/jobs/{id} is not found by other accounts, nor when it does not exist', async () => {
  const opened = open();
  const { jobId } = await started(opened, draft);
  const ask = async (id: string, key: string) =>
    refusedWith(await get(opened.service, `/api/media/jobs/${id}`, key));
  expect(await ask(jobId, keys.sandbox)).toBe('404 job_not_found');
  expect(await ask('job_x', keys.local)).toBe('404 job_not_found');
  expect(await ask('..%2F..%2Fx', keys.local)).toBe('404 job_not_found');
});

it('the channel uncertain is submitting for the first half of its time, by the same id', async () => {
  const opened = open({ jobTimeMs: 10_000 });
  const { jobId, status } = await started(opened, { ...draft, model: 'canvas:uncertain' });
  expect(status).toBe('processing');
  const begun = opened.clock.now();
  const at = (ms: number) => {
    opened.clock.set(begun + ms);
    return jobOf(opened, jobId);
  };
  expect(await at(4999)).toMatchObject({
    status: 'submitting',
    errorCode: 'media_submission_uncertain',
    retryGuidance: expect.stringContaining('do not send a duplicate'),
  });
  expect(await at(5000)).toMatchObject({ status: 'processing', errorCode: null });
  expect(await at(10_000)).toMatchObject({ status: 'success', errorCode: null });
  expect(await historyOf(opened)).toHaveLength(1);
});

it('a job that fails says why, and gives its price back with a record of its own', async () => {
  const opened = open({ jobTimeMs: 1000 });
  const { jobId } = await started(opened, failing);
  expect(await balanceOf(opened)).toBe(1000 - canvasRub);
  const due = opened.clock.now() + 1000;
  opened.clock.set(due + 5000);
  expect(await jobOf(opened, jobId)).toMatchObject({
    status: 'fail',
    errorCode: 'provider_failed',
    failMsg: expect.stringContaining('canvas:failing'),
    resultUrls: [],
    priceRub: 0,
    charged: false,
  });
  expect(await balanceOf(opened)).toBe(1000);
  const [refund, charge] = await historyOf(opened);
  expect(charge).toMatchObject({ priceRub: canvasRub, route: ':failing' });
  expect(refund).toMatchObject({
    priceRub: -canvasRub,
    refundOf: charge?.id,
    createdAt: new Date(due).toISOString(),
  });
  await expectBalanced(opened);
});

it('a job that fails has given it back before anyone asks for the job', async () => {
  const opened = open({ jobTimeMs: 1000, openingBalanceRub: canvasRub });
  await started(opened, failing);
  opened.clock.set(opened.clock.now() + 1000);
  // The same rouble pays for the next job.
  await started(opened, lighthouse);
  expect(await balanceOf(opened)).toBe(0);
  expect(await expectBalanced(opened, canvasRub)).toBeCloseTo(canvasRub, 6);
});

it('a job that fails gives it back once, however many look at once', async () => {
  const opened = open({ jobTimeMs: 1000 });
  const { jobId } = await started(opened, failing);
  opened.clock.set(opened.clock.now() + 1000);
  const looks = [
    ...Array.from({ length: 10 }, () => jobOf(opened, jobId)),
    ...Array.from({ length: 10 }, () => balanceOf(opened)),
  ];
  const seen = await Promise.all<unknown>(looks);
  expect(seen.slice(10)).toEqual(Array.from({ length: 10 }, () => 1000));
  expect(await historyOf(opened)).toHaveLength(2);
});

it('a job that fails does not count as two requests, nor as money spent', async () => {
  const opened = open({ jobTimeMs: 0 });
  const { jobId } = await started(opened, failing);
  await jobOf(opened, jobId);
  const usage: unknown = await (await get(opened.service, '/api/key/usage')).json();
  expect(usage).toMatchObject({ requests: 1, spent_today_rub: 0, balance_rub: 1000 });
  const byKey: unknown = await (await get(opened.service, '/v1/usage')).json();
  expect(byKey).toMatchObject({ data: [{ requests: 1, priceRub: 0 }] });
});
