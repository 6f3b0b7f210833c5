import { describe, expect, it } from 'vitest';
import type { Client, Spending } from '../../src/api/client.js';
import { PriceTooHigh } from '../../src/errors.js';
import { RunSpending } from '../../src/spending/spending.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { contextOver } from '../helpers/context.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { clientFor } from '../proxy/rig.js';

const list = {
  data: [{ id: 'vendor/m', inputRubPerMillionTokens: 0, outputRubPerMillionTokens: 1000 }],
};
const head = { status: 200, headers: { 'x-svc-generation-id': 'gen_1' } };

/** A purse of 10 RUB, before a service whose history has no record. */
async function purse() {
  const service = await fakeService((request, response) => {
    if (request.url.includes('pricing')) json(list)(request, response);
    else json({ error: { message: 'none', type: 'x', code: 'not_found' } }, 404)(request, response);
  });
  const client = await clientFor(service.origin, { maxCost: 10 });
  const { spending } = client;
  if (!spending) throw new Error('there is no purse');
  const reserve = (rub: number) => spending.reserve('answer', requestFor(client, rub), 'never');
  return { service, spending, reserve };
}

/** A request that may cost so much. */
function requestFor({ baseUrl }: Client, rub: number): Parameters<Spending['reserve']>[1] {
  const body = JSON.stringify({ model: 'vendor/m', messages: [], max_tokens: rub * 1000 });
  const timeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };
  return { method: 'POST', url: baseUrl, headers: {}, body, timeouts };
}

describe('the purse of a run', () => {
  it('takes the price of an answer once, and does not hold it afterwards', async () => {
    const { spending, reserve } = await purse();
    (await reserve(4)).answered(head);
    expect(await spending.spendableRub()).toBeCloseTo(6, 3);
    spending.settle('gen_1', 1);
    expect(await spending.spendableRub()).toBeCloseTo(9, 3);
    spending.settle('gen_1', 3);
    expect(await spending.spendableRub()).toBeCloseTo(9, 3);
  });

  it('takes the price of a job again, which may be refunded', async () => {
    const { spending, reserve } = await purse();
    const data = { jobId: 'job_1', charged: { amount: 4, currency: 'RUB' } };
    (await reserve(5)).answered(Object.assign({ data }, head));
    expect(await spending.spendableRub()).toBeCloseTo(6, 3);
    spending.settle('job_1', 0);
    expect(await spending.spendableRub()).toBeCloseTo(10, 3);
  });

  it('asks for open prices once for all requests that do not fit', async () => {
    const { service, reserve } = await purse();
    (await reserve(9)).answered(head);
    const before = service.requests.length;
    const refused = await Promise.allSettled(Array.from({ length: 50 }, () => reserve(5)));
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
    const [first] = refused;
    expect(first?.status === 'rejected' && first.reason).toBeInstanceOf(PriceTooHigh);
    expect(service.requests.length - before).toBeLessThanOrEqual(2);
  });

  it('keeps what is not known to be free', async () => {
    const { spending, reserve } = await purse();
    (await reserve(4)).failed(false, new Error('it broke off'));
    (await reserve(4)).failed(true, new Error('nothing was sent'));
    expect(await spending.spendableRub()).toBeCloseTo(6, 3);
  });
});

describe('the price list of a run that takes days', () => {
  it('is asked for again after a failure, and once an hour', async () => {
    const clock = new ManualClock();
    let outputRub: number | undefined;
    const service = await fakeService((request, response) => {
      const [entry] = list.data;
      const data = [{ ...entry, outputRubPerMillionTokens: outputRub }];
      const isThere = outputRub !== undefined && request.url.includes('pricing');
      if (isThere) json({ data })(request, response);
      else json({ error: { message: 'no', type: 'x', code: 'y' } }, 404)(request, response);
    });
    const env = { ...service.env, SVC_CONFIG_DIR: testFolder() };
    const client = await contextOver({ env, clock, flags: { maxCost: 10 } }).context.client();
    const reserve = () => client.spending?.reserve('answer', requestFor(client, 1), 'never');
    await expect(reserve()).rejects.toThrow(PriceTooHigh);
    outputRub = 1000;
    await reserve();
    expect(await client.spending?.spendableRub()).toBeCloseTo(9, 3);
    outputRub = 2000;
    await reserve();
    expect(await client.spending?.spendableRub()).toBeCloseTo(8, 3);
    clock.pass(3_600_000);
    await reserve();
    expect(await client.spending?.spendableRub()).toBeCloseTo(6, 3);
  });
});

/** A run with this ceiling and these variables, and its client. */
async function limitedTo(maxCost?: number, variables = {}) {
  const service = await fakeService(json(list));
  const known = { ...service.env, SVC_CONFIG_DIR: testFolder(), ...variables };
  const flags = maxCost === undefined ? {} : { maxCost };
  const { context: env } = contextOver({ env: known, flags });
  return { env, client: await env.client() };
}

describe('the purse of a call within that of all calls', () => {
  it('counts each payment in both, and books it once in the budget', async () => {
    const { env, client } = await limitedTo(10, { SVC_BUDGET: '100' });
    const all = new RunSpending(env, client);
    const around = { all, consent: undefined };
    const [one, other] = [4, 8].map((maxCostRub) => {
      return new RunSpending({ ...env, flags: { ...env.flags, maxCostRub } }, client, around);
    });
    const first = await one?.reserve('answer', requestFor(client, 3), 'never');
    await expect(one?.reserve('answer', requestFor(client, 2), 'never')).rejects.toThrow(
      '4.00 RUB',
    );
    await other?.reserve('answer', requestFor(client, 6), 'never');
    await expect(other?.reserve('answer', requestFor(client, 2), 'never')).rejects.toThrow(
      'the 1.00 RUB left of the 10.00 RUB that the user lets this server spend',
    );
    expect(await one?.spendableRub()).toBeCloseTo(1, 3);
    first?.answered(head);
    // Another call learns what a request of an ended call cost.
    other?.settle('gen_1', 0.5);
    expect(all.ceilingLeftRub).toBeCloseTo(3.5, 3);
    expect(one?.ceilingLeftRub).toBeCloseTo(3.5, 3);
    expect(other?.ceilingLeftRub).toBeCloseTo(2, 3);
    expect((await all.standing()).periods[0]).toMatchObject({ spentRub: 0.5, reservedRub: 6 });
  });

  it('asks for a price that is not known, and only once', async () => {
    const { env, client } = await limitedTo();
    const asked: unknown[] = [];
    const ask = (...words: unknown[]) => Promise.resolve(void asked.push(words));
    const around = { all: new RunSpending(env, client), consent: { freeRub: 10, ask } };
    const spending = new RunSpending(env, client, around);
    await Promise.all(
      [1, 2].map(() => spending.reserve('request', requestFor(client, 1), 'never')),
    );
    const cost = { earlierRub: 0, sumRub: Infinity, mostRub: Infinity };
    expect(asked).toEqual([['vendor/m', cost]]);
    const limited = new RunSpending(
      { ...env, flags: { ...env.flags, maxCostRub: 5 } },
      client,
      around,
    );
    const refused = limited.reserve('request', requestFor(client, 1), 'never');
    await expect(refused).rejects.toMatchObject({ code: 'price_unknown' });
    expect(asked).toHaveLength(1);
  });

  it('asks one question at a time, and pays for nothing after a refusal', async () => {
    const { env, client } = await limitedTo();
    let asked = 0;
    const ask = () => Promise.reject(new Error(`no. ${(asked += 1)}`));
    const around = { all: new RunSpending(env, client), consent: { freeRub: 2, ask } };
    const spending = new RunSpending(env, client, around);
    const reserve = () => spending.reserve('answer', requestFor(client, 3), 'never');
    const refused = await Promise.allSettled([reserve(), reserve(), reserve()]);
    expect(refused.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    await expect(reserve()).rejects.toThrow('no. 1');
    expect(asked).toBe(1);
    expect(spending.committedRub).toBe(0);
  });

  it('refuses what passes the sum that was agreed to, and asks no second question', async () => {
    const { env, client } = await limitedTo();
    let asked = 0;
    const ask = () => Promise.resolve(void (asked += 1));
    const around = { all: new RunSpending(env, client), consent: { freeRub: 2, ask } };
    const spending = new RunSpending(env, client, around);
    const reserve = () => spending.reserve('answer', requestFor(client, 3), 'never');
    await reserve();
    await expect(reserve()).rejects.toMatchObject({ code: 'max_cost' });
    expect(asked).toBe(1);
    const several = new RunSpending(env, client, around);
    several.expectMore(true);
    for (let times = 0; times < 4; times += 1)
      await several.reserve('answer', requestFor(client, 3), 'never');
    expect(asked).toBe(2);
  });

  it('counts what is sent again with its key once, also in another call', async () => {
    const { env, client } = await limitedTo(5);
    const all = new RunSpending(env, client);
    const [one, other] = [1, 2].map(
      () => new RunSpending(env, client, { all, consent: undefined }),
    );
    const request = (key: string, rub: number) => {
      const { headers, ...rest } = requestFor(client, rub);
      return { ...rest, headers: { ...headers, 'idempotency-key': key } };
    };
    const first = await one?.reserve('answer', request('a', 3), 'never');
    first?.failed(false, new Error('no answer'));
    const again = await other?.reserve('answer', request('a', 3), 'idempotent');
    again?.failed(true, new Error('not sent'));
    expect(all.committedRub).toBe(3);
    // It may be charged for the larger one.
    await expect(other?.reserve('answer', request('a', 4), 'idempotent')).rejects.toThrow();
    await expect(other?.reserve('answer', request('b', 3), 'idempotent')).rejects.toThrow();
    (await one?.reserve('answer', request('a', 3), 'idempotent'))?.answered(head);
    other?.settle('gen_1', 1);
    expect(all.committedRub).toBe(1);
  });
});
