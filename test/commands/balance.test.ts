import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { warnIfLow } from '../../src/jobs/cost.js';
import { accountService, goodKey } from '../helpers/account-service.js';
import { homeWith } from '../helpers/config-home.js';
import { contextOver } from '../helpers/context.js';
import { fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

it('svc balance is the roubles, grouped for people and plain for a pipe', async () => {
  const service = await fakeService(json({ balance_rub: 1234.5, currency: 'RUB' }));
  for (const tty of [false, true]) {
    const stdout = tty ? '1,234.50 RUB\n' : '1234.50 RUB\n';
    const result = await run('balance', { env: service.env, tty });
    expect(result).toMatchObject({ code: 0, stdout, stderr: '' });
  }
  expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/v1/balance' });
  expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${fakeKey}`);
});

it('svc balance is the reply of the service under --json', async () => {
  const service = await fakeService(json({ balance_rub: 1, currency: 'RUB', hold: { a: 1 } }));
  const { stdout, code } = await run('balance --json', { env: service.env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ balance_rub: 1, currency: 'RUB', hold: { a: 1 } });
});

it('svc balance --warn-below ends with exit 5 when less is left, after printing the balance', async () => {
  const service = await fakeService(json({ balance_rub: 99.5, currency: 'RUB' }));
  for (const tty of [false, true]) {
    const result = await run('balance --warn-below 100', {
      env: { ...service.env, NO_COLOR: '1' },
      tty,
    });
    expect(result).toMatchObject({ code: 5, stdout: '99.50 RUB\n' });
    expect(result.stderr).toMatch(/^error: the balance of 99\.50 RUB is below 100\.00 RUB\nhint: /);
  }
  const asJson = await run('balance --warn-below 100 --json', { env: service.env });
  expect(asJson.code).toBe(5);
  expect(JSON.parse(asJson.stdout)).toEqual({ balance_rub: 99.5, currency: 'RUB' });
  expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { exit: 5, code: 'low_balance' } });
});

it('svc --local without a usable store is a local error in one sentence, exit 11', async () => {
  const folder = testFolder();
  writeFileSync(`${folder}/file`, 'x');
  mkdirSync(`${folder}/spoilt/data`, { recursive: true });
  writeFileSync(
    `${folder}/spoilt/data/local.sqlite`,
    'this is no database, but long enough: '.repeat(99),
  );
  for (const home of [`${folder}/file`, `${folder}/file/below`, `${folder}/spoilt`]) {
    const result = await run('--local balance', { home });
    expect(result, home).toMatchObject({ code: 11, stdout: '' });
    expect(result.stderr, home).toMatch(/^error: [^\n]+\nhint: [^\n]+SVC_CONFIG_DIR\n$/);
  }
});

/** The service's balance is 12.50 RUB. */
async function balanceWith(lowBalance: number | undefined, line = 'balance') {
  const { origin } = await accountService();
  const profile = { base_url: origin, key: goodKey, key_origin: origin, low_balance: lowBalance };
  return run(line, { home: homeWith({ profile: 'work', profiles: { work: profile } }) });
}

it('the warning that the balance runs low comes on stderr when the balance is below the amount of the profile', async () => {
  expect(await balanceWith(100)).toMatchObject({
    code: 0,
    stdout: '12.50 RUB\n',
    stderr: 'warning: the balance of 12.50 RUB is below your 100.00 RUB\n',
  });
});

it.each([12.5, 3, undefined])(
  'the warning that the balance runs low does not come at or above the amount (%s)',
  async (amount) => {
    expect(await balanceWith(amount)).toMatchObject({ stdout: '12.50 RUB\n', stderr: '' });
  },
);

it('the warning that the balance runs low is printed once by a command that reads the balance twice', () => {
  const home = homeWith({ profiles: { default: { low_balance: 10 } } });
  const env = { SVC_CONFIG_DIR: home };
  const { context, stderr } = contextOver({ env });
  warnIfLow(context, 5);
  warnIfLow(context, 4);
  expect(stderr.text).toBe('warning: the balance of 5.00 RUB is below your 10.00 RUB\n');
  const next = contextOver({ env });
  warnIfLow(next.context, 4);
  expect(next.stderr.text).toBe('warning: the balance of 4.00 RUB is below your 10.00 RUB\n');
});

it('the warning that the balance runs low gives way to --warn-below', async () => {
  expect(await balanceWith(100, 'balance --warn-below 50')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/^error: .+\nhint: .+\n$/),
  });
});
