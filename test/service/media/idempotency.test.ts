import { describe, expect, it } from 'vitest';
import { keys } from '../helpers.js';
import {
  balanceOf,
  canvasRub,
  generate,
  historyOf,
  lighthouse,
  open,
  quoted,
  refusedWith,
  started,
} from './helpers.js';

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('gives the same answer to the same request, with no second charge', async () => {
    const opened = open();
    const first = await generate(opened, lighthouse, keyed('k1'));
    opened.clock.set(opened.clock.now() + 3_600_000);
    const second = await generate(opened, lighthouse, keyed('k1'));
    expect(second.status).toBe(202);
    expect(await second.json()).toEqual(await first.json());
    expect(second.headers.get('x-svc-generation-id')).toBe(
      first.headers.get('x-svc-generation-id'),
    );
    expect(await historyOf(opened)).toHaveLength(1);
  });

  it('gives the same job when its quote is used and its price was the last of the balance', async () => {
    const opened = open({ openingBalanceRub: canvasRub, quoteTtlMs: 1000 });
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const body = { ...lighthouse, quote_id };
    const { jobId } = await started(opened, body, keyed('k1'));
    opened.clock.set(opened.clock.now() + 5000);
    expect(await started(opened, body, keyed('k1'))).toMatchObject({ jobId });
  });

  it('is refused with another request: 409', async () => {
    const opened = open();
    await started(opened, lighthouse, keyed('k1'));
    for (const other of [
      { ...lighthouse, prompt: 'x' },
      { ...lighthouse, max_price_rub: 9 },
    ]) {
      const response = await generate(opened, other, keyed('k1'));
      expect(await refusedWith(response)).toBe('409 idempotency_key_reused');
    }
    expect(await historyOf(opened)).toHaveLength(1);
  });

  it('of one account says nothing about another', async () => {
    const opened = open();
    const { jobId } = await started(opened, lighthouse, keyed('k1'));
    const other = await started(opened, lighthouse, { ...keyed('k1'), key: keys.sandbox });
    expect(other.jobId).not.toBe(jobId);
  });

  it('starts one job and takes one price of 20 calls at once', async () => {
    const opened = open();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => started(opened, lighthouse, keyed('k1'))),
    );
    expect(new Set(replies.map(({ jobId }) => jobId)).size).toBe(1);
    expect(await historyOf(opened)).toHaveLength(1);
    expect(await balanceOf(opened)).toBe(1000 - canvasRub);
  });
});
