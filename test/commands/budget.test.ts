import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import { chunks, chunksEnd } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { front } from '../helpers/front.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';
import { databaseIn } from '../helpers/state.js';

/** A service that charges 0.5 for an answer; its price list, or what it answers in its place. */
async function priced(pricing: unknown, status = 200, priceRub = 0.5) {
  const clock = new ManualClock({ now: new Date(2026, 10, 30, 23, 59).getTime() });
  const records: object[] = [];
  const at = await front({
    standIn: ({ url, method }) => {
      if (url === '/v1/pricing') return { json: pricing, status };
      if (url === '/v1/balance') return { json: { balance_rub: 7 } };
      if (url.startsWith('/v1/generations?')) return { json: { data: records } };
      if (url.startsWith('/v1/gen')) return { json: records[Number(url.split('_')[1])] };
      if (method !== 'POST') return { json: {}, status: 404 };
      const id = `gen_${String(records.length)}`;
      records.push({ id, model: 'v/m', priceRub, createdAt: new Date(clock.now()).toISOString() });
      const headers = { 'content-type': 'text/event-stream', 'x-svc-generation-id': id };
      return { bytes: Buffer.from(chunks('hello') + chunksEnd), headers };
    },
  });
  const { home } = at;
  const posts = () => at.requests.filter(({ method }) => method === 'POST');
  const svc = (line: string, env: Record<string, string> = {}, tty = false) =>
    at.svc(line, { env, clock, tty });
  return { ...at, at, clock, home, posts, svc };
}

const perMillion = {
  data: [{ id: 'v/m', inputRubPerMillionTokens: 1000, outputRubPerMillionTokens: '10000' }],
};
const ask = 'chat -m v/m --max-tokens 80 hi';

describe('a price list', () => {
  const line = `${ask} --max-cost 2`;

  it.each([
    ['with prices in strings', perMillion, 200],
    ['by id', { data: { 'v/m': { pricing: { input_per_1k: 1, output_per_1k: '10' } } } }, 200],
    [
      'with channels',
      { data: [{ id: 'v/m', variants: [{ id: 'v/m:a', ...perMillion.data[0] }] }] },
      200,
    ],
  ])('%s is read', async (_, pricing, status) => {
    const { svc } = await priced(pricing, status);
    expect(await svc(line)).toMatchObject({ code: 0, stdout: 'hello\n' });
    const { stderr, code } = await svc(line.replace('80', '800'));
    expect(code).toBe(5);
    expect(stderr).toContain('this request may cost up to 8.0');
  });

  it.each([
    ['is missing', {}, 404],
    ['has another shape', { prices: 'on request' }, 200],
    ['does not have the model', { data: [{ id: 'v/other', input_per_1k: 1 }] }, 200],
    ['gives no unit', { data: [{ id: 'v/m', pricing: { input: 1, output: 2 } }] }, 200],
    [
      'is in dollars',
      { data: [{ id: 'v/m', pricing: { currency: 'USD', input_per_1k: 1 } }] },
      200,
    ],
    ['has a price below zero', { data: [{ id: 'v/m', rub_per_1k: -1 }] }, 200],
  ])('that %s is a refusal', async (_, pricing, status) => {
    const { svc, posts } = await priced(pricing, status);
    const result = await svc(line);
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('error: the price of v/m is not known, and a ceiling');
    expect(posts()).toEqual([]);
  });

  it('is asked for once an hour, and without a ceiling not at all', async () => {
    const { svc, calls, clock } = await priced(perMillion);
    await svc(ask);
    expect(calls().filter((call) => call.includes('pricing'))).toEqual([]);
    for (const minutes of [0, 59, 2]) {
      clock.pass(minutes * 60_000);
      await svc(line);
    }
    expect(calls().filter((call) => call.includes('pricing'))).toHaveLength(2);
  });

  it('without the longest answer needs --max-tokens', async () => {
    const { svc, posts } = await priced(perMillion);
    const body = '-f model=v/m -f messages[][role]=user';
    const { code, stderr } = await svc(`api POST /v1/chat/completions ${body} --max-cost 9`);
    expect(code).toBe(5);
    expect(stderr).toContain('error: the longest answer of this model is not known');
    expect(stderr).toContain('hint: limit it: --max-tokens N, or --shorten\n');
    expect(posts()).toEqual([]);
  });
});

describe('a budget', () => {
  const env = { SVC_BUDGET: '1' };
  const left = (stdout: string) => stdout.split('\n').map((line) => line.split('\t').slice(0, 5));

  it('is told, and shown in three forms', async () => {
    const { svc, clock } = await priced(perMillion);
    const none = 'no budget is set; to set one: svc budget set day 100, or SVC_BUDGET=100\n';
    expect(await svc('budget')).toMatchObject({ code: 0, stdout: '', stderr: none });
    expect(await run('--local budget')).toMatchObject({ code: 0, stdout: '', stderr: none });
    await svc('budget set month 20');
    const first = await svc(ask, env, true);
    expect(first.stderr).toContain('0.50 RUB · balance 7.00 RUB · budget 0.50 RUB left\n');
    const second = await svc(ask, env);
    expect(second).toMatchObject({ code: 5, stdout: '' });
    expect(second.stderr).toBe(
      "error: this request may cost up to 0.865 RUB, more than the 0.50 RUB left of the day's 1.00 RUB\n" +
        'hint: limit the answer with --max-tokens N or --shorten, or see `svc budget`; the budget resets at 2026-12-01 00:00 UTC\n',
    );
    const resets = new Date(2026, 11, 1).toISOString();
    const month = '0.5\t0\t19.5\t20';
    expect((await svc('budget', env)).stdout).toBe(
      `day\t0.5\t0\t0.5\t1\t${resets}\nmonth\t${month}\t${resets}\n`,
    );
    expect((await svc('budget', env, true)).stdout).toBe(
      'PERIOD   CHARGED  RESERVED       LEFT         OF  RESETS\n' +
        'day     0.50 RUB  0.00 RUB   0.50 RUB   1.00 RUB  2026-12-01 00:00 (in 1 min)\n' +
        'month   0.50 RUB  0.00 RUB  19.50 RUB  20.00 RUB  2026-12-01 00:00 (in 1 min)\n',
    );
    const same = { chargedRub: 0.5, spentRub: 0.5, reservedRub: 0, resetsAt: resets };
    expect(JSON.parse((await svc('budget --json', env)).stdout)).toEqual({
      day: { ...same, leftRub: 0.5, budgetRub: 1 },
      month: { ...same, leftRub: 19.5, budgetRub: 20 },
      unknown: [],
      timeZone: 'UTC',
    });
    // Midnight at the end of a month begins both anew.
    clock.pass(60_000);
    const [day, both] = left((await svc('budget', env)).stdout);
    expect([day?.[1], both?.[1]]).toEqual(['0', '0']);
    expect((await svc(ask, env)).code).toBe(0);
  });

  it('is settled with the real price, also where it is higher and known late', async () => {
    const { svc, at, calls } = await priced(perMillion, 200, 3);
    at.on('billing.record', { answer: { status: 404 } });
    expect((await svc(ask, env)).code).toBe(0);
    expect(calls().filter((one) => one.includes('generations'))).toHaveLength(1);
    expect(left((await svc('budget', env)).stdout)[0]?.[2]).toBe('0.865');
    at.straighten();
    expect(left((await svc('budget', env)).stdout)[0]?.[3]).toBe('-2');
  });

  it.each([402, 404])('loses nothing by a refusal with %s', async (status) => {
    const { svc, at } = await priced(perMillion);
    at.on(/^POST/, { answer: { status, json: { error: { message: 'no' } } } });
    expect((await svc(`${ask} --timeout 1s`, env)).code).not.toBe(0);
    const [day] = left((await svc('budget', env)).stdout);
    expect(day?.slice(1, 4)).toEqual(['0', '0', '1']);
  });

  const unseen = { id: 'x', pid: 1, host: 'container', boot: 'other', machine: 'other' };
  it.each([
    ['an answer', 'null'],
    ['one, in a process that cannot be seen,', JSON.stringify(unseen)],
  ])('stays reserved without %s until its record is found', async (_, owner) => {
    const { svc, at, clock, calls, home } = await priced(perMillion);
    at.on(/^POST/, { drop: 'request' });
    expect((await svc(ask, env)).code).toBe(10);
    databaseIn(home).run('UPDATE budget SET owner = ?', owner);
    at.straighten();
    clock.pass(20_000);
    const open = await svc('budget', env);
    expect(left(open.stdout)[0]?.slice(1, 4)).toEqual(['0', '0.865', '0.135']);
    expect(open.stderr).toBe(
      'warning: these requests got no answer and stay reserved until a usage record is found:\n' +
        'warning:   v/m, 20 s ago, up to 0.865 RUB\n',
    );
    // The record that appears later is taken for its own.
    await svc(ask);
    clock.pass(11_000);
    // It does not fit before the price is known: 0.5 instead of 0.865.
    const listed = () => calls().filter((call) => call.includes('/v1/generations?')).length;
    expect((await svc(ask.replace('80', '16'), env)).code).toBe(0);
    // One for what `svc budget` shows, and one for the price.
    expect(listed()).toBe(2);
    const [settled] = left((await svc('budget', env)).stdout);
    expect(settled?.slice(1, 3)).toEqual(['1', '0']);
    // The price is not looked for again: these are two pages of the history.
    expect(listed()).toBe(4);
  });

  it('of two at once lets one pass', async () => {
    const { svc } = await priced(perMillion);
    const codes = (await Promise.all([svc(ask, env), svc(ask, env)])).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([0, 5]);
  });

  it('holds under --local, and of a job that failed takes nothing', async () => {
    const home = testFolder();
    const options = { home, env: { SVC_BUDGET: '3', SVC_LOCAL_JOB_TIME: '1ms' } };
    expect((await run('--local generate local/canvas:failing a', options)).code).toBe(9);
    expect(left((await run('--local budget', options)).stdout)[0]?.[1]).toBe('0');
    const made = `--local generate local/canvas a -o ${join(home, 'a.png')}`;
    expect((await run(made, options)).code).toBe(0);
    expect((await run(`${made} --force --new`, options)).code).toBe(5);
  });

  it('counts each request where the service does not know Idempotency-Keys', async () => {
    const body = '-f model=local/guide -f messages[][role]=user -F max_tokens=10000';
    const line = `--local api POST /v1/chat/completions ${body} -H Idempotency-Key:k`;
    const options = { home: testFolder(), env: { SVC_BUDGET: '4.05' } };
    expect([(await run(line, options)).code, (await run(line, options)).code]).toEqual([0, 5]);
  });

  it('is set and taken away, as the setting that `svc config` shows', async () => {
    const { svc } = await priced(perMillion);
    const budgets = async () => {
      const { day, month } = recordOf(JSON.parse((await svc('budget --json')).stdout));
      return [day, month].map((period) => recordOf(period)['budgetRub']);
    };
    expect((await svc('budget set day 50')).stderr).toContain('Set budget_day to 50 in');
    expect((await svc('budget set month 1e3')).code).toBe(0);
    expect(await budgets()).toEqual([50, 1000]);
    expect((await svc('config get budget_day')).stdout).toBe('50\n');
    expect((await svc('budget set month off')).stderr).toContain('Removed budget_month from');
    expect((await svc('budget set day 2', env)).stderr).toContain('SVC_BUDGET replaces it with 1');
    expect(await budgets()).toEqual([2, undefined]);
  });

  it.each([
    ['5', 'day 50'],
    ['day', 'day 50'],
    ['month', 'day 50'],
    ['week 7', 'day 50'],
    ['', 'day 50'],
  ])('svc budget set %s says what to type', async (words, meant) => {
    const { code, stderr } = await run(`budget set ${words}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`hint: svc budget set ${meant}\n`)]);
  });

  it('says what was charged without it, and shows the rest where the history is out of reach', async () => {
    const { svc, at } = await priced(perMillion);
    await svc(ask);
    const { stdout, stderr } = await svc('budget', env);
    expect(left(stdout)[0]).toEqual(['day', '0.5', '0', '1', '1']);
    expect(stderr).toContain('0.50 RUB charged today without the budget does not count against it');
    const russian = await svc('budget', { ...env, SVC_LANG: 'ru' });
    expect(russian.stderr).toContain('0,50\u00a0₽ charged today');
    at.on('billing.history', { answer: { status: 404 } });
    const cut = await svc('budget', env);
    expect(left(cut.stdout)[0]).toEqual(['day', '', '0', '1', '1']);
    expect(cut.stderr).toContain('warning: what was charged is not known: ');
    const day = recordOf(JSON.parse((await svc('budget --jq .day', env)).stdout));
    expect(day).toMatchObject({ chargedRub: null, leftRub: 1 });
  });

  it('that cannot be written sends nothing', async () => {
    const { svc, home, posts } = await priced(perMillion);
    writeFileSync(join(home, 'data'), '');
    const stderr = expect.stringContaining('free some space or fix its permissions; nothing was');
    expect(await svc(ask, env)).toMatchObject({ code: 11, stderr });
    expect(posts()).toEqual([]);
  });

  it('is not opened for a ceiling alone', async () => {
    const { svc, home } = await priced(perMillion);
    expect((await svc(`${ask} --max-cost 2 --no-log`)).code).toBe(0);
    expect(existsSync(databaseIn(home).path)).toBe(false);
  });

  describe('of days that are named', () => {
    afterEach(() => vi.unstubAllEnvs());

    it('counts what was spent in another zone until its day has ended there and here', async () => {
      const { svc, clock } = await priced(perMillion);
      const leftRub = async () => left((await svc('budget', env)).stdout).map((row) => row[3]);
      await svc('budget set month 10');
      vi.stubEnv('TZ', 'America/New_York');
      expect((await svc(ask, env)).code).toBe(0);
      // A new day and a new month begin in UTC.
      clock.pass(60_000);
      vi.stubEnv('TZ', 'UTC');
      expect(await leftRub()).toEqual(['0.5', '9.5', undefined]);
      expect((await svc(ask, env)).code).toBe(5);
      clock.pass(5 * 3_600_000);
      expect(await leftRub()).toEqual(['1', '10', undefined]);
      expect((await svc(ask, env)).code).toBe(0);
    });

    it('says the zone also where the table has no room for the time', async () => {
      const { at, clock } = await priced(perMillion);
      vi.stubEnv('TZ', 'Asia/Tokyo');
      for (const columns of [40, 80]) {
        const { stdout, stderr } = await at.svc('budget', { env, clock, tty: true, columns });
        expect(stderr).toContain('days begin at midnight, Asia/Tokyo\n');
        expect(stdout.includes('2026-12-02 00:00 (in 15 h)')).toBe(columns > 40);
      }
    });
  });
});
