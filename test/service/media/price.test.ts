import { describe, expect, it } from 'vitest';
import { ask, post } from '../helpers.js';
import { probe } from './probe.js';
import { wav } from './tones.js';
import {
  canvasRub,
  lighthouse,
  open,
  quoted,
  refusal,
  refusedWith,
  send,
  uploaded,
} from './helpers.js';

const publicPath = '/api/media/public-price';
const path = '/api/media/price';

it('POST /api/media/price gives the price, what it is made of, and a quote with its end', async () => {
  const opened = open({ quoteTtlMs: 90_000 });
  const quote = await quoted(opened, { ...lighthouse, opts: { n: 2 } });
  expect(quote).toMatchObject({
    ok: true,
    priceRub: 2 * canvasRub,
    isEstimate: false,
    breakdown: { images: 2, perImageRub: canvasRub },
    quoteId: expect.stringMatching(/^mq_[a-z0-9]{24}$/),
    expiresAt: new Date(opened.clock.now() + 90_000).toISOString(),
    quoteTtlSeconds: 90,
  });
  expect(quote).not.toHaveProperty('effectiveOpts');
});

it('POST /api/media/price shows the options that the job would run with when it is strict', async () => {
  const strict = await quoted(open(), { ...lighthouse, opts: { n: 2 }, strict: true });
  expect(strict.effectiveOpts).toEqual({ n: 2, quality: 'standard' });
  const response = await send(open(), path, lighthouse, { headers: { 'x-svc-strict': 'true' } });
  expect(await response.json()).toMatchObject({ effectiveOpts: { n: 1 } });
});

it('POST /api/media/price prices a source by the length that was measured, however it came', async () => {
  const opened = open({ mediaModels: probe().models });
  const recording = wav(3.5);
  const audio_base64 = Buffer.from(recording).toString('base64');
  for (const opts of [
    { audio_file_id: await uploaded(opened, recording) },
    { audio_base64 },
    { audio_base64: `data:audio/wav;base64,${audio_base64}` },
  ]) {
    expect(await quoted(opened, { model: 'probe', opts })).toMatchObject({
      priceRub: 3.5,
      isEstimate: false,
      sourceSeconds: 3.5,
      breakdown: { seconds: 3.5 },
    });
  }
});

it('POST /api/media/price estimates a source by its address, which is not fetched', async () => {
  const opened = open({ mediaModels: probe().models });
  const opts = { audio_url: 'https://tones.example/1.wav' };
  expect(await quoted(opened, { model: 'probe', opts })).toMatchObject({
    priceRub: 10,
    isEstimate: true,
    estimateReason: expect.any(String),
  });
});

it.each([
  ['no source at all', {}, '422 invalid_options'],
  ['two sources', { audio_base64: 'AAAA', image_base64: 'AAAA' }, '422 invalid_options'],
  ['text that is no base64', { audio_base64: 'no, this is not' }, '422 source_unreadable'],
  ['bytes of no kind', { audio_base64: 'AAAA' }, '422 source_unreadable'],
  ['a file that is not there', { audio_file_id: 'file_x' }, '422 source_not_found'],
])('POST /api/media/price refuses %s', async (_, opts, refused) => {
  const opened = open({ mediaModels: probe().models });
  const response = await post(opened.service, path, { model: 'probe', opts });
  expect(await refusedWith(response)).toBe(refused);
});

it('POST /api/media/public-price gives the same price to anyone, but no quote', async () => {
  const response = await ask(open(), publicPath, { body: lighthouse, key: null });
  expect(response.status).toBe(200);
  const reply: unknown = await response.json();
  expect(reply).toMatchObject({ ok: true, priceRub: canvasRub });
  expect(reply).not.toHaveProperty('quoteId');
  expect(reply).not.toHaveProperty('expiresAt');
});

it('POST /api/media/public-price knows only media models: 404', async () => {
  for (const model of ['local/nope', 'local/echo', 'canvas:gold', '__proto__']) {
    const response = await post(open().service, publicPath, { ...lighthouse, model });
    expect(await refusedWith(response), model).toBe('404 model_not_found');
  }
});

describe.each([path, publicPath])('POST %s', (where) => {
  const ask = (body: unknown) => post(open().service, where, body);

  it('names every unknown field, the first one apart', async () => {
    const response = await ask({ ...lighthouse, size: '1x1', seed: 1, n: 2 });
    const fields = ['size', 'seed', 'n'];
    expect(await refusal(response)).toMatchObject({
      status: 400,
      body: { ok: false, code: 'unknown_field', field: 'size', fields },
    });
  });

  it('ignores an unknown option, unless it is strict', async () => {
    const body = { ...lighthouse, opts: { qualty: 'high' } };
    expect(await (await ask(body)).json()).toMatchObject({ priceRub: canvasRub });
    const strict = await refusal(await ask({ ...body, strict: true }));
    expect(strict).toMatchObject({
      status: 422,
      body: { code: 'strict_validation_failed', violations: [{ field: 'opts.qualty' }] },
    });
  });
});
