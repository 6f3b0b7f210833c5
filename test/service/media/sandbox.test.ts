import { describe, expect, it } from 'vitest';
import { keys } from '../helpers.js';
import {
  balanceOf,
  expectBalanced,
  generate,
  historyOf,
  jobOf,
  lighthouse,
  open,
  refusedWith,
  started,
} from './helpers.js';

describe('a simulated submission', () => {
  const simulate = (outcome = 'submission_uncertain', key: string = keys.sandbox) => ({
    headers: { 'x-svc-sandbox-outcome': outcome, 'idempotency-key': 'k1' },
    key,
  });

  it('is for sandbox keys alone', async () => {
    const response = await generate(open(), lighthouse, simulate(undefined, keys.local));
    expect(await refusedWith(response)).toBe('400 sandbox_outcome_requires_sandbox_key');
    const odd = await generate(open(), lighthouse, simulate('success'));
    expect(await refusedWith(odd)).toBe('400 sandbox_outcome_unknown');
  });

  it('is unknown for 60 seconds, and then turns out never to have started', async () => {
    const opened = open();
    const response = await generate(opened, lighthouse, simulate());
    expect(response.status).toBe(202);
    expect(response.headers.get('x-svc-generation-id')).toBeNull();
    const { jobId } = await started(opened, lighthouse, simulate());
    const look = () => jobOf(opened, jobId, keys.sandbox);
    const begun = opened.clock.now();
    for (const ms of [0, 59_999]) {
      opened.clock.set(begun + ms);
      expect(await look()).toMatchObject({
        status: 'submitting',
        stage: 'submission_unknown',
        errorCode: 'media_submission_uncertain',
        retryGuidance: expect.stringContaining('polling'),
      });
    }
    for (const ms of [60_000, 3_600_000]) {
      opened.clock.set(begun + ms);
      expect(await look()).toMatchObject({
        status: 'fail',
        stage: 'submission_not_started',
        charged: false,
        priceRub: 0,
      });
    }
    expect(await balanceOf(opened, keys.sandbox)).toBe(1000);
    expect(await historyOf(opened, keys.sandbox)).toEqual([]);
  });

  it('is refused like any other when the request is wrong', async () => {
    const response = await generate(open(), { ...lighthouse, opts: { n: 9 } }, simulate());
    expect(await refusedWith(response)).toBe('422 invalid_options');
  });

  it('leaves other jobs of a sandbox key as they are', async () => {
    const opened = open();
    const { jobId } = await started(opened, lighthouse, { key: keys.sandbox });
    opened.clock.set(opened.clock.now() + 60_000);
    expect(await jobOf(opened, jobId, keys.sandbox)).toMatchObject({ status: 'success' });
    await expectBalanced(opened, 1000, keys.sandbox);
  });
});
