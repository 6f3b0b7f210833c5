import { describe, expect, it } from 'vitest';
import { balanceOf, chatBody as ask, get, historyOf, keys, openService, post } from './helpers.js';

const path = '/v1/chat/completions';
describe('what a chat costs', () => {
  it.each([
    [path, {}],
    [path, { stream: true }],
    ['/v1/messages', { max_tokens: 100 }],
    ['/v1/messages', { max_tokens: 100, stream: true }],
    ['/v1/responses', { input: '12345678' }],
    ['/v1/responses', { input: '12345678', stream: true }],
  ])('is taken and recorded under the id in the header: %s %j', async (where, more) => {
    const service = openService();
    const response = await post(service, where, ask('12345678', more));
    const id = response.headers.get('x-svc-generation-id');
    // 2 tokens in and 2 out at 20 RUB a million.
    expect(await balanceOf(service)).toBe(1000 - 0.00008);
    expect(await (await get(service, `/v1/generations/${id ?? ''}`)).json()).toEqual({
      id,
      model: 'local/echo',
      promptTokens: 2,
      completionTokens: 2,
      priceRub: 0.00008,
      createdAt: '2026-01-15T12:00:00.000Z',
      route: ':standard',
      address_as: 'local/echo:standard',
    });
  });

  it('is the same for the short name, and the variant’s own price for a pinned one', async () => {
    const service = openService();
    for (const model of ['local/echo', 'echo', 'local/echo:standard', 'echo:economy']) {
      const reply: unknown = await (await post(service, path, ask('12345678', { model }))).json();
      const pinned = model.includes(':') ? `:${model.split(':')[1] ?? ''}` : '';
      expect(reply).toMatchObject({ model: `local/echo${pinned}` });
    }
    expect((await historyOf(service)).map((record) => record.priceRub)).toEqual([
      0.00004, 0.00008, 0.00008, 0.00008,
    ]);
  });

  it('is taken before the first byte, whether or not the stream is read', async () => {
    const service = openService();
    const response = await post(service, path, ask('12345678', { stream: true }));
    await response.body?.cancel();
    expect(await balanceOf(service)).toBe(1000 - 0.00008);
  });

  it('is never nothing', async () => {
    const service = openService();
    await post(service, path, ask(''));
    expect(await balanceOf(service)).toBeLessThan(1000);
  });
});

describe('a balance that is too low', () => {
  it.each([
    [path, {}],
    [path, { stream: true }],
    ['/v1/messages', { max_tokens: 100 }],
    ['/v1/responses', { input: 'x' }],
  ])('is refused with 402, and nothing is written: %s %j', async (where, more) => {
    const service = openService();
    const response = await post(service, where, ask('12345678', more), keys.empty);
    expect(response.status).toBe(402);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-svc-generation-id')).toBeNull();
    expect(await response.json()).toMatchObject({
      error: { type: 'billing_error', code: 'insufficient_balance', balance_rub: 0 },
    });
    expect(await historyOf(service, keys.empty)).toEqual([]);
  });

  it('is reported with the price and the balance', async () => {
    const service = openService({ openingBalanceRub: 0.00005 });
    const response = await post(service, path, ask('12345678'));
    expect(await response.json()).toMatchObject({
      error: {
        message: 'the balance of 0.00005 RUB is too low: this call costs 0.00008 RUB',
        price_rub: 0.00008,
        balance_rub: 0.00005,
      },
    });
    expect(await balanceOf(service)).toBe(0.00005);
  });

  it('is never overdrawn by calls at the same time', async () => {
    const service = openService({ openingBalanceRub: 0.0005 });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => post(service, path, ask('12345678', { stream: true }))),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(6).fill(200), ...Array<number>(14).fill(402)]);
    expect(await balanceOf(service)).toBe(0.00002);
    expect(await historyOf(service)).toHaveLength(6);
  });
});
