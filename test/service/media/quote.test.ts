import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canvas } from '../../../src/service/media/engines/canvas.js';
import type { MediaModel } from '../../../src/service/media/engines/types.js';
import { testFolder } from '../../helpers/folder.js';
import { keys } from '../helpers.js';
import {
  balanceOf,
  canvasRub,
  generate,
  lighthouse,
  open,
  quoted,
  refusal,
  refusedWith,
  started,
} from './helpers.js';

describe('a quote', () => {
  it('is what the job costs, and can be used once', async () => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    expect(await started(opened, { ...lighthouse, quote_id })).toMatchObject({
      priceRub: canvasRub,
    });
    const again = await generate(opened, { ...lighthouse, quote_id });
    expect(await refusedWith(again)).toBe('409 quote_used');
    expect(await balanceOf(opened)).toBe(1000 - canvasRub);
  });

  it('holds for the model by any of its names, and whatever else is asked of the job', async () => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const body = { ...lighthouse, model: 'canvas', quote_id, max_price_rub: 5, strict: true };
    expect((await generate(opened, body)).status).toBe(202);
  });

  it('is stale once its time is over', async () => {
    const opened = open({ quoteTtlMs: 1000 });
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    opened.clock.set(opened.clock.now() + 1000);
    const late = await generate(opened, { ...lighthouse, quote_id });
    expect(await refusedWith(late)).toBe('409 quote_stale');
  });

  it('has moved when it was for another channel', async () => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const moved = { ...lighthouse, model: 'canvas:uncertain', quote_id };
    expect(await refusedWith(await generate(opened, moved))).toBe('409 quote_moved');
  });

  it.each([
    ['prompt', { prompt: 'a lighthouse!' }],
    ['options', { opts: { quality: 'draft' } }],
    ['model', { model: 'local/tune' }],
  ])('is not for another %s', async (_, other) => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const response = await generate(opened, { ...lighthouse, ...other, quote_id });
    expect(await refusedWith(response)).toBe('422 quote_mismatch');
    expect((await generate(opened, { ...lighthouse, quote_id })).status).toBe(202);
  });

  it('of another account, or of nobody, is unknown', async () => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse, keys.sandbox);
    const foreign = await refusal(await generate(opened, { ...lighthouse, quote_id }));
    const nobodys = await refusal(await generate(opened, { ...lighthouse, quote_id: 'mq_x' }));
    expect(foreign).toEqual(nobodys);
    expect(foreign).toMatchObject({ status: 422, body: { code: 'quote_unknown' } });
  });

  it('is left unused by a call that is refused', async () => {
    const opened = open({ openingBalanceRub: 2 });
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    for (let i = 0; i < 2; i += 1) {
      const poor = await generate(opened, { ...lighthouse, quote_id });
      expect(await refusedWith(poor)).toBe('402 insufficient_balance');
    }
  });

  it('pays for one job of many that want it at once', async () => {
    const opened = open();
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => generate(opened, { ...lighthouse, quote_id })),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    expect(await balanceOf(opened)).toBe(1000 - canvasRub);
  });
});

describe('a price that has changed since it was quoted', () => {
  it('has moved: 409, and the old price is not taken', async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const opened = open({ storePath });
    const { quoteId: quote_id } = await quoted(opened, lighthouse);
    const dearer: MediaModel = {
      ...canvas,
      requestJsonSchema: {},
      check: (order) => {
        const checked = canvas.check(order);
        const job = checked.job && {
          ...checked.job,
          price: () => ({ priceRub: 3, isEstimate: false, breakdown: {} }),
        };
        return { ...checked, job };
      },
    };
    const later = open({ storePath, mediaModels: [dearer] });
    const response = await generate(later, { ...lighthouse, quote_id });
    expect(await refusedWith(response)).toBe('409 quote_moved');
    expect(await balanceOf(later)).toBe(1000);
  });
});
