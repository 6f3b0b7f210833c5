import { describe, expect, it } from 'vitest';
import type { Service } from '../../../src/service/service.js';
import { FakeClock, get, openService, post } from '../helpers.js';

const forms = ['/v1/search', '/api/search'] as const;

describe('the pace of searches', () => {
  async function statuses(service: Service, count: number): Promise<number[]> {
    const all: number[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const path = forms[nth % 2] ?? forms[0];
      all.push((await post(service, path, { query: 'balance' })).status);
    }
    return all;
  }

  it('is 32 a minute over both forms, and then says how long to wait', async () => {
    const clock = new FakeClock(1_000_000);
    const service = openService({ clock });
    expect(await statuses(service, 1)).toEqual([200]);
    clock.set(1_020_500);
    expect(await statuses(service, 31)).toEqual(Array.from({ length: 31 }, () => 200));
    for (const path of forms) {
      const response = await post(service, path, { query: 'balance' });
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('40');
      expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    }
    clock.set(1_059_999);
    const almost = await post(service, '/v1/search', { query: 'balance' });
    expect(almost.headers.get('retry-after')).toBe('1');
    clock.set(1_060_000);
    expect(await statuses(service, 2)).toEqual([200, 429]);
  });

  it('charges nothing for what it refuses', async () => {
    const service = openService({ openingBalanceRub: 100 });
    await statuses(service, 40);
    expect(await (await get(service, '/v1/balance')).json()).toMatchObject({
      balance_rub: 100 - 32 * 0.3,
    });
  });

  it('does not count what was no search', async () => {
    const service = openService();
    for (let nth = 0; nth < 40; nth += 1) await post(service, '/v1/search', { query: '' });
    expect(await statuses(service, 1)).toEqual([200]);
  });
});
