import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  canvasRub,
  draft,
  generate,
  historyOf,
  lighthouse,
  open,
  refusal,
  refusedWith,
} from './helpers.js';

describe('POST /api/media/generate', () => {
  it('starts a job: 202 with all that is known of it', async () => {
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

  it('takes the price at once, with a record of it', async () => {
    const opened = open();
    const response = await generate(opened, lighthouse);
    expect(await balanceOf(opened)).toBe(1000 - canvasRub);
    expect(await historyOf(opened)).toMatchObject([
      {
        id: response.headers.get('x-svc-generation-id'),
        model: 'local/canvas',
        route: ':standard',
        priceRub: canvasRub,
      },
    ]);
  });

  it('takes nothing from a balance that is too low: 402 with the figures', async () => {
    const opened = open({ openingBalanceRub: 2 });
    const { status, body } = await refusal(await generate(opened, lighthouse));
    expect(status).toBe(402);
    expect(body).toMatchObject({ code: 'insufficient_balance', price_rub: 2.4, balance_rub: 2 });
    expect(await balanceOf(opened)).toBe(2);
    expect(await historyOf(opened)).toEqual([]);
    expect((await generate(opened, draft)).status).toBe(202);
  });

  it.each([
    ['a body that is no JSON', '{', '400 invalid_json'],
    ['an unknown field', { ...lighthouse, size: '1x1' }, '400 unknown_field'],
    ['an unknown model', { ...lighthouse, model: 'local/nope' }, '422 unsupported_model'],
    ['a wrong option', { ...lighthouse, opts: { n: 9 } }, '422 invalid_options'],
    ['a quote id that is none', { ...lighthouse, quote_id: 'q1' }, '400 invalid_request'],
    ['a ceiling below zero', { ...lighthouse, max_price_rub: -1 }, '400 invalid_request'],
    ['a ceiling that is no number', { ...lighthouse, max_price_rub: '1e3' }, '400 invalid_request'],
    ['a closed channel', { ...lighthouse, model: 'canvas:closed' }, '503 route_unavailable'],
    ['a refusing channel', { ...lighthouse, model: 'canvas:refusing' }, '502 provider_refused'],
    [
      'a webhook by http',
      { ...lighthouse, webhook_url: 'http://a.example/' },
      '400 invalid_request',
    ],
  ])('refuses %s, and takes nothing', async (_, body, refused) => {
    const opened = open();
    expect(await refusedWith(await generate(opened, body))).toBe(refused);
    expect(await balanceOf(opened)).toBe(1000);
    expect(await historyOf(opened)).toEqual([]);
  });

  it('refuses what would not run as written when the header says strict', async () => {
    const opened = open();
    const body = { ...lighthouse, opts: { qualty: 'high' } };
    for (const value of ['1', 'true', 'TRUE']) {
      const response = await generate(opened, body, { headers: { 'x-svc-strict': value } });
      expect(await refusedWith(response)).toBe('422 strict_validation_failed');
    }
    expect((await generate(opened, body, { headers: { 'x-svc-strict': '0' } })).status).toBe(202);
  });
});

describe('max_price_rub', () => {
  it.each([0, 2.39, '2.39', '0'])('of %s keeps it from being submitted', async (max_price_rub) => {
    const opened = open();
    const { status, body } = await refusal(
      await generate(opened, { ...lighthouse, max_price_rub }),
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'media_max_price_exceeded', priceRub: canvasRub });
    expect(await balanceOf(opened)).toBe(1000);
  });
});
