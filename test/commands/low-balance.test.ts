import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { globalFlagsFrom } from '../../src/cli/globals.js';
import { makeContext } from '../../src/cli/context.js';
import { warnIfLow } from '../../src/jobs/cost.js';
import { systemClock } from '../../src/lib/clock.js';
import { createOutput } from '../../src/terminal/output.js';
import { accountService, goodKey } from '../helpers/account-service.js';
import { homeWith } from '../helpers/config-home.js';
import { run } from '../helpers/run.js';

/** The service's balance is 12.50 RUB. */
async function balanceWith(lowBalance: number | undefined, line = 'balance') {
  const { origin } = await accountService();
  const profile = { base_url: origin, key: goodKey, key_origin: origin, low_balance: lowBalance };
  return run(line, { home: homeWith({ profile: 'work', profiles: { work: profile } }) });
}

/** What the code of a command gets, and what it has said. */
function contextAt(home: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { SVC_CONFIG_DIR: home };
  const out = createOutput({
    streams: { stdout, stderr },
    env,
    quiet: false,
    onStdoutFailure: () => undefined,
  });
  const world = { stdin: new PassThrough(), stderr, env, clock: systemClock, version: '0' };
  const { signal } = new AbortController();
  return {
    context: makeContext(world, globalFlagsFrom({}), out, signal),
    stderr: () => String(stderr.read() ?? ''),
  };
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

  it('is said once by a command that learns the balance twice', () => {
    const home = homeWith({ profiles: { default: { low_balance: 10 } } });
    const { context, stderr } = contextAt(home);
    warnIfLow(context, 5);
    warnIfLow(context, 4);
    expect(stderr()).toBe('warning: the balance of 5.00 RUB is below your 10.00 RUB\n');
    const next = contextAt(home);
    warnIfLow(next.context, 4);
    expect(next.stderr()).toBe('warning: the balance of 4.00 RUB is below your 10.00 RUB\n');
  });

  it('leaves the word to --warn-below where that is given', async () => {
    expect(await balanceWith(100, 'balance --warn-below 50')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^error: .+\nhint: .+\n$/),
    });
  });
});
