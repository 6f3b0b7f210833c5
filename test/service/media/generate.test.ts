import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keys } from '../helpers.js';
import { testFolder } from '../../helpers/folder.js';
import { canvas } from '../../../src/service/media/engines/canvas.js';
import type { MediaModel } from '../../../src/service/media/engines/model.js';
import {
  balanceOf,
  canvasRub,
  expectBalanced,
  generate,
  historyOf,
  jobOf,
  lighthouse,
  open,
  quoted,
  refusal,
  refusedWith,
  started,
} from './helpers.js';

it('POST /api/media/generate starts a job: 202 with all that is known of it', async () => {
  const opened = open();
  const response = await generate(opened, { ...lighthouse, model: 'canvas' });
  expect(response.status).toBe(202);
  expect(response.headers.get('x-svc-generation-id')).toMatch(/^gen_[a-z0-9]{24}$/);
  expect(await response.json()).toEqual({
    ok: true,
    jobId: expect.stringMatching(/^job_[a-z0-9]{24}$/),
    status: 'processing',
    model: 'local/canvas',
    provider: 'canvas',
    priceRub: canvasRub,
    requestedModel: 'canvas',
    effectiveModel: 'local/canvas',
    addressAs: 'local/canvas:standard',
    providerAlias: 'canvas',
  });
});

it.each([
  ['a body that is no JSON', '{', '400 invalid_json'],
  ['an unknown field', { ...lighthouse, size: '1x1' }, '400 unknown_field'],
  ['an unknown model', { ...lighthouse, model: 'local/nope' }, '422 unsupported_model'],
  ['a wrong option', { ...lighthouse, opts: { n: 9 } }, '422 invalid_options'],
  ['a ceiling that is no number', { ...lighthouse, max_price_rub: '1e3' }, '400 invalid_request'],
  ['a closed channel', { ...lighthouse, model: 'canvas:closed' }, '503 route_unavailable'],
  ['a refusing channel', { ...lighthouse, model: 'canvas:refusing' }, '502 provider_refused'],
  ['a webhook by http', { ...lighthouse, webhook_url: 'http://a.example/' }, '400 invalid_request'],
])('POST /api/media/generate refuses %s, and takes nothing', async (_, body, refused) => {
  const opened = open();
  expect(await refusedWith(await generate(opened, body))).toBe(refused);
  expect(await balanceOf(opened)).toBe(1000);
  expect(await historyOf(opened)).toEqual([]);
});

it('POST /api/media/generate refuses what would not run as written when the header says strict', async () => {
  const opened = open();
  const body = { ...lighthouse, opts: { qualty: 'high' } };
  for (const value of ['1', 'true', 'TRUE']) {
    const response = await generate(opened, body, { headers: { 'x-svc-strict': value } });
    expect(await refusedWith(response)).toBe('422 strict_validation_failed');
  }
  expect((await generate(opened, body, { headers: { 'x-svc-strict': '0' } })).status).toBe(202);
});

it.each([0, 2.39, '2.39', '0'])(
  'max_price_rub of %s keeps a job from being submitted',
  async (max_price_rub) => {
    const opened = open();
    const response = await generate(opened, { ...lighthouse, max_price_rub });
    const body = { code: 'media_max_price_exceeded', priceRub: canvasRub };
    expect(await refusal(response)).toMatchObject({ status: 422, body });
    expect(await balanceOf(opened)).toBe(1000);
  },
);

it('a quote is what the job costs, and can be used once', async () => {
  const opened = open();
  const { quoteId: quote_id } = await quoted(opened, lighthouse);
  expect(await started(opened, { ...lighthouse, quote_id })).toMatchObject({
    priceRub: canvasRub,
  });
  const again = await generate(opened, { ...lighthouse, quote_id });
  expect(await refusedWith(again)).toBe('409 quote_used');
  expect(await balanceOf(opened)).toBe(1000 - canvasRub);
});

it.each<[why: string, refused: string, other: object, key?: string, laterMs?: number]>([
  ['is stale once its time is over', '409 quote_stale', {}, keys.local, 1000],
  ['has moved when it was for another channel', '409 quote_moved', { model: 'canvas:uncertain' }],
  ['is not for another prompt', '422 quote_mismatch', { prompt: 'a lighthouse!' }],
  ['is not for another option', '422 quote_mismatch', { opts: { quality: 'draft' } }],
  ['is not for another model', '422 quote_mismatch', { model: 'local/tune' }],
  ['of another account is unknown', '422 quote_unknown', {}, keys.sandbox],
  ['of nobody is unknown', '422 quote_unknown', { quote_id: 'mq_x' }],
])('a quote %s: %s', async (_, refused, other, key = keys.local, laterMs = 0) => {
  const opened = open({ quoteTtlMs: 1000 });
  const { quoteId: quote_id } = await quoted(opened, lighthouse, key);
  opened.clock.pass(laterMs);
  const response = await generate(opened, { ...lighthouse, quote_id, ...other });
  expect(await refusedWith(response)).toBe(refused);
  if (laterMs === 0) {
    expect((await generate(opened, { ...lighthouse, quote_id }, { key })).status).toBe(202);
  }
});

it('a quote is left unused by a call that is refused', async () => {
  const opened = open({ openingBalanceRub: 2 });
  const { quoteId: quote_id } = await quoted(opened, lighthouse);
  for (let i = 0; i < 2; i += 1) {
    const poor = await generate(opened, { ...lighthouse, quote_id });
    expect(await refusedWith(poor)).toBe('402 insufficient_balance');
  }
});

it('a quote pays for one job of many that want it at once', async () => {
  const opened = open();
  const { quoteId: quote_id } = await quoted(opened, lighthouse);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => generate(opened, { ...lighthouse, quote_id })),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
  expect(await balanceOf(opened)).toBe(1000 - canvasRub);
});

it('a price that has changed since it was quoted has moved: 409, and the old price is not taken', async () => {
  const storePath = join(testFolder(), 'local.sqlite');
  const opened = open({ storePath });
  const { quoteId: quote_id } = await quoted(opened, lighthouse);
  const dearer: MediaModel = {
    ...canvas,
    requestJsonSchema: {},
    check: (order) => {
      const { job, ...checked } = canvas.check(order);
      const price = () => ({ priceRub: 3, isEstimate: false, breakdown: {} });
      return { ...checked, job: job && { ...job, price } };
    },
  };
  const later = open({ storePath, mediaModels: [dearer] });
  const response = await generate(later, { ...lighthouse, quote_id });
  expect(await refusedWith(response)).toBe('409 quote_moved');
  expect(await balanceOf(later)).toBe(1000);
});

const simulate = (outcome = 'submission_uncertain', key: string = keys.sandbox) => ({
  headers: { 'x-svc-sandbox-outcome': outcome, 'idempotency-key': 'k1' },
  key,
});

it('a simulated submission is only for sandbox keys', async () => {
  const response = await generate(open(), lighthouse, simulate(undefined, keys.local));
  expect(await refusedWith(response)).toBe('400 sandbox_outcome_requires_sandbox_key');
  const odd = await generate(open(), lighthouse, simulate('success'));
  expect(await refusedWith(odd)).toBe('400 sandbox_outcome_unknown');
});

it('a simulated submission is unknown for 60 seconds, and then turns out never to have started', async () => {
  const opened = open();
  const response = await generate(opened, lighthouse, simulate());
  expect(response.status).toBe(202);
  expect(response.headers.get('x-svc-generation-id')).toBeNull();
  const { jobId } = await started(opened, lighthouse, simulate());
  const look = () => jobOf(opened, jobId, keys.sandbox);
  const begun = opened.clock.now();
  for (const ms of [0, 59_999]) {
    opened.clock.set(begun + ms);
    expect(await look()).toMatchObject({
      status: 'submitting',
      stage: 'submission_unknown',
      errorCode: 'media_submission_uncertain',
      retryGuidance: expect.stringContaining('polling'),
    });
  }
  for (const ms of [60_000, 3_600_000]) {
    opened.clock.set(begun + ms);
    expect(await look()).toMatchObject({
      status: 'fail',
      stage: 'submission_not_started',
      charged: false,
      priceRub: 0,
    });
  }
  expect(await balanceOf(opened, keys.sandbox)).toBe(1000);
  expect(await historyOf(opened, keys.sandbox)).toEqual([]);
});

it('a simulated submission is refused like any other when the request is wrong', async () => {
  const response = await generate(open(), { ...lighthouse, opts: { n: 9 } }, simulate());
  expect(await refusedWith(response)).toBe('422 invalid_options');
});

it('a simulated submission leaves other jobs of a sandbox key as they are', async () => {
  const opened = open();
  const { jobId } = await started(opened, lighthouse, { key: keys.sandbox });
  opened.clock.set(opened.clock.now() + 60_000);
  expect(await jobOf(opened, jobId, keys.sandbox)).toMatchObject({ status: 'success' });
  await expectBalanced(opened, 1000, keys.sandbox);
});
