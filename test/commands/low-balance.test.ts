import { describe, expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { homeWith } from '../helpers/config-home.js';
import { run } from '../helpers/run.js';

/** The service's balance is 12.50 RUB. */
async function balanceWith(lowBalance: number | undefined, line = 'balance') {
  const { origin } = await accountService();
  const profile = { base_url: origin, key: goodKey, key_origin: origin, low_balance: lowBalance };
  return run(line, { home: homeWith({ profile: 'work', profiles: { work: profile } }) });
}

describe('the warning that the balance runs low', () => {
  it('comes on stderr when the balance is below the amount of the profile', async () => {
    expect(await balanceWith(100)).toMatchObject({
      code: 0,
      stdout: '12.50 RUB\n',
      stderr: 'warning: the balance of 12.50 RUB is below your 100.00 RUB\n',
    });
  });

  it('leaves the JSON of stdout alone, and is said even under --quiet', async () => {
    const { stdout, stderr } = await balanceWith(100, 'balance --json --quiet');
    expect(JSON.parse(stdout)).toEqual({ balance_rub: 12.5, currency: 'RUB' });
    expect(stderr).toMatch(/^warning: .+\n$/);
  });

  it.each([12.5, 3, undefined])('does not come at or above the amount (%s)', async (amount) => {
    expect(await balanceWith(amount)).toMatchObject({ stdout: '12.50 RUB\n', stderr: '' });
  });
});
