/** What many callers, several processes and kill -9 do to the money. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { chatHead } from '../../test/service/raw-connection.js';
import { balancedRecords, readLedger } from '../../test/service/hostile/ledger.js';
import { serving, type Serving } from './hostile-serving.js';

/** Costs 80 micro-roubles in every format: two tokens each way, 20 a token. */
const price = 80;
const messages = [{ role: 'user', content: 'hello' }];
const calls = [
  ['/v1/chat/completions', { model: 'local/echo', messages }],
  ['/v1/messages', { model: 'local/echo', max_tokens: 10, messages }],
  ['/v1/responses', { model: 'local/echo', input: 'hello' }],
  ['/v1/chat/completions', { model: 'local/echo', messages, stream: true }],
  ['/v1/messages', { model: 'local/echo', max_tokens: 10, messages, stream: true }],
  ['/v1/responses', { model: 'local/echo', input: 'hello', stream: true }],
] as const;

interface Outcome {
  readonly status: number;
  readonly generationId: string | null;
  readonly body: string;
}

/** The nth of the calls, read to its end. */
async function pay(service: Serving, nth: number): Promise<Outcome> {
  const [path, body] = calls[nth % calls.length] ?? calls[0];
  const response = await service.post(path, body, AbortSignal.timeout(30_000));
  const generationId = response.headers.get('x-svc-generation-id');
  return { status: response.status, generationId, body: await response.text() };
}

function payAtOnce(services: readonly Serving[], count: number): Promise<Outcome[]> {
  const turns = Array.from({ length: count }, (_, nth) => nth);
  return Promise.all(turns.flatMap((nth) => services.map((service) => pay(service, nth))));
}

/** Holds that exactly fifty were paid, and everyone else was refused for want of money. */
function expectFifty(outcomes: readonly Outcome[], path: string): void {
  const paid = outcomes.filter(({ status }) => status === 200);
  const refused = outcomes.filter(({ status }) => status === 402);
  expect(paid).toHaveLength(50);
  expect(refused).toHaveLength(outcomes.length - 50);
  for (const { body } of paid) expect(body).toContain('hello');
  for (const { body, generationId } of refused) {
    expect(body).toContain('insufficient_balance');
    expect(generationId).toBeNull();
  }
  const ids = paid.map(({ generationId }) => generationId);
  expect(balancedRecords(path).sort()).toEqual(ids.sort());
  const account = readLedger(path).accounts.find(({ id }) => id === 'local');
  expect(account).toEqual({ id: 'local', opening: 50 * price, balance: 0, spent: 50 * price });
}

describe('a balance that pays for fifty calls', () => {
  const openingBalanceRub = (50 * price) / 1e6;

  it('pays for exactly fifty of two hundred at once', { timeout: 60_000 }, async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const service = await serving({ storePath, openingBalanceRub });
    expectFifty(await payAtOnce([service], 200), storePath);
  });

  it('pays for exactly fifty through two processes at once', { timeout: 60_000 }, async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const first = await serving({ storePath, openingBalanceRub });
    const second = await serving({ storePath, openingBalanceRub });
    expectFifty(await payAtOnce([first, second], 100), storePath);
  });
});

describe('callers that do not wait for the answer', () => {
  it('pay for what was done, and there is a record of it', { timeout: 60_000 }, async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const service = await serving({ storePath });
    const port = Number(new URL(service.url).port);
    const body = JSON.stringify(calls[0][1]);
    const request = [...chatHead(port, body.length), '', body].join('\r\n');
    await Promise.all(
      Array.from({ length: 20 }, async (_, nth) => {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(request.repeat(10));
        if (nth % 2 === 0) await once(socket, 'data');
        socket.resetAndDestroy();
      }),
    );
    const last = await pay(service, 0);
    expect(last.status).toBe(200);
    await service.kill();
    const ids = balancedRecords(storePath);
    expect(ids).toContain(last.generationId);
    // At least one of each connection that saw an answer begin.
    expect(ids.length).toBeGreaterThanOrEqual(11);
    expect(ids.length).toBeLessThanOrEqual(201);
  });
});

describe('a process that is killed in the middle of paid calls', () => {
  it('leaves a ledger that adds up, with every answer in it', { timeout: 90_000 }, async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const survivor = await serving({ storePath });
    const seen: string[] = [];
    const payAndTell = async (service: Serving, nth: number) => {
      const { status, generationId } = await pay(service, nth);
      if (status !== 200 || generationId === null) throw new Error(`answered ${status}`);
      seen.push(generationId);
      return generationId;
    };
    const [lanes, rounds] = [6, 3];
    for (let round = 0; round < rounds; round += 1) {
      const victim = await serving({ storePath });
      const paidByVictim: string[] = [];
      const doomed = Array.from({ length: lanes }, async (_, lane) => {
        for (let nth = lane; ; nth += 1) {
          paidByVictim.push(await payAndTell(victim, nth));
        }
      });
      const ends = Promise.allSettled(doomed);
      // The other process goes on all the while, and none of its calls may fail.
      while (paidByVictim.length < 20) await payAndTell(survivor, round);
      const during = payAndTell(survivor, round);
      await victim.kill();
      await during;
      expect((await ends).map(({ status }) => status)).toEqual(doomed.map(() => 'rejected'));
    }
    const later = await serving({ storePath });
    for (const id of [seen[0], seen.at(-1)]) {
      expect((await later.get(`/v1/generations/${String(id)}`)).status).toBe(200);
    }
    const ids = balancedRecords(storePath);
    expect(ids).toEqual(expect.arrayContaining(seen));
    // Each lane may have been killed between its payment and its answer.
    expect(ids.length - seen.length).toBeLessThanOrEqual(rounds * lanes);
    expect((await pay(later, 0)).status).toBe(200);
    balancedRecords(storePath);
  });

  it('keeps what was begun, and takes nothing for what was not', { timeout: 60_000 }, async () => {
    const folder = testFolder();
    const storePath = join(folder, 'local.sqlite');
    const scriptPath = join(folder, 'script.json');
    const rules = [
      { match: 'later', delayMs: 600_000, reply: 'never' },
      { reply: 'one two three', chunkDelayMs: 600_000 },
    ];
    writeFileSync(scriptPath, JSON.stringify({ rules }));
    const service = await serving({ storePath, scriptPath });
    const ask = (content: string) =>
      service.post('/v1/chat/completions', {
        model: 'local/script',
        messages: [{ role: 'user', content }],
        stream: true,
      });
    const unbegun = ask('later').then(
      () => 'answered',
      () => 'lost',
    );
    const begun = await ask('now');
    const id = begun.headers.get('x-svc-generation-id');
    expect((await service.get('/v1/balance')).status).toBe(200);
    await service.kill();
    await expect(begun.text()).rejects.toThrow();
    expect(await unbegun).toBe('lost');
    expect(balancedRecords(storePath)).toEqual([id]);
  });
});
