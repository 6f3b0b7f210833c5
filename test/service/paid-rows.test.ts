/** What each row that is paid and sent once takes, and what it says to a balance that is too low. */
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import {
  balanceOf,
  expectBalanced,
  film,
  finished,
  historyOf,
  open,
  refusal,
} from './media/helpers.js';
import { paidRows } from './paid-rows.js';

/** The model and the route of the record, beside the price. */
const records: Readonly<Record<string, object>> = {
  'media.generate': { model: 'local/canvas', route: ':standard' },
  'images.create': { model: 'local/canvas', route: ':standard' },
  'media.extend': { model: 'local/reel', route: ':standard' },
  'voices.create': { model: 'local/voice', route: ':clone' },
  'audio.speech': { model: 'local/voice', route: ':standard' },
  'audio.transcription': { model: 'local/transcribe', route: ':standard' },
};

describe.each(paidRows)('$id', ({ id, status, rub, call }) => {
  /** What is paid before the call: a film that can be extended. */
  const filmRub = id === 'media.extend' ? 1.2 : 0;

  async function openFor(leftRub: number) {
    const openingRub = Number((filmRub + leftRub).toFixed(6));
    const opened = open({ openingBalanceRub: openingRub });
    const taskId = filmRub > 0 ? (await finished(opened, film)).jobId : undefined;
    return { opened, openingRub, answer: () => call(opened.service, { taskId }) };
  }

  it('takes its price once, with a record under the id of its answer', async () => {
    const { opened, openingRub, answer } = await openFor(rub);
    const response = await answer();
    expect(response.status).toBe(status);
    await response.arrayBuffer();
    const generationId = response.headers.get('x-svc-generation-id');
    const [latest] = await historyOf(opened);
    expect(latest).toMatchObject({ id: generationId, priceRub: rub, ...records[id] });
    expect(await balanceOf(opened)).toBe(0);
    await expectBalanced(opened, openingRub);
  });

  it('refuses a balance that is a kopeck short at once, with both figures, and takes nothing', async () => {
    const { opened, answer } = await openFor(rub - 0.01);
    const [balanceRub, history] = [await balanceOf(opened), await historyOf(opened)];
    const begun = opened.clock.now();
    const { status, body } = await refusal(await answer());
    expect({ status, ...recordOf(body['error']), ...body }).toMatchObject({
      ...{ status: 402, code: 'insufficient_balance', price_rub: rub, balance_rub: balanceRub },
    });
    expect(opened.clock.now()).toBe(begun);
    expect(await balanceOf(opened)).toBe(balanceRub);
    expect(await historyOf(opened)).toEqual(history);
  });
});
