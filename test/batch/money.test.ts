import { recordOf } from '../../src/lib/json.js';
import { describe, expect, it } from 'vitest';
import { createSpeech } from '../../src/contract/audio.js';
import {
  countTokens,
  createChatCompletion,
  createMessage,
  createResponse,
} from '../../src/contract/chat.js';
import { createDecisions } from '../../src/contract/decisions.js';
import { createEmbeddings } from '../../src/contract/embeddings.js';
import { createImage } from '../../src/contract/images.js';
import { generateMedia, quotePrice } from '../../src/contract/media.js';
import { searchRegion, searchWeb } from '../../src/contract/search.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';
import { failureOf, lineOf, localBatch } from './local.js';

const messages = [{ role: 'user', content: 'What does svc chat cost?' }];
const questions = { spam: { type: 'noul', instructions: 'unwanted' } };
/** It may cost 0.00108 RUB, and costs 0.0004. */
const cheap = lineOf(createChatCompletion, { model: 'echo:standard', messages, max_tokens: 1 });

describe('the cost of an answer', () => {
  it('is what the service charges, for every row', async () => {
    const { charged, money, send } = await localBatch();
    const all = [
      lineOf(createChatCompletion, { model: 'local/guide:economy', messages }),
      lineOf(createMessage, { model: 'guide', messages, max_tokens: 30 }),
      lineOf(createChatCompletion, { model: 'local/echo:standard', messages }),
      lineOf(createMessage, { model: 'guide:standard', messages, max_tokens: 30 }),
      lineOf(createResponse, { model: 'local/guide:standard', input: 'help' }),
      lineOf(createEmbeddings, { model: 'local/embed:standard', input: ['a', 'b c d'] }),
      lineOf(createDecisions, { model: 'local/decide:economy', state: 'x', questions }),
      lineOf(searchWeb, { query: 'chat', mode: 'pro', max_results: 3 }),
      lineOf(searchRegion, { query: 'chat' }),
      lineOf(createSpeech, { model: 'local/voice', input: 'hello' }),
      lineOf(createImage, { model: 'local/canvas', prompt: 'a', quality: 'draft' }),
      lineOf(generateMedia, { model: 'local/voice', prompt: 'b' }),
    ];
    const costs = [];
    for (const line of all) {
      const held = await money.reserve(line);
      const { costRub } = await send(line);
      held?.settle(costRub);
      costs.push(costRub);
    }
    expect(costs).toEqual(await charged());
    expect(costs).not.toContain(0);
    expect(money.spentRub).toBeCloseTo(
      costs.reduce<number>((sum, rub = NaN) => sum + rub, 0),
      9,
    );
    const free = [
      lineOf(countTokens, { model: 'local/guide', messages }),
      lineOf(quotePrice, { model: 'local/canvas', prompt: 'a' }),
    ];
    for (const line of free) expect(await send(line)).toMatchObject({ costRub: 0 });
    expect(await charged()).toHaveLength(all.length);
  });

  it('is not known where its channel is not, tokens are cached or nothing counts them', async () => {
    const { money } = await localBatch();
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    const cached = { prompt_tokens_details: { cached_tokens: 64 } };
    const bare = lineOf(createChatCompletion, { model: 'local/guide', messages });
    expect(money.costOf(cheap, { usage })).toBe(0.0022);
    expect(money.costOf(cheap, { usage: { ...usage, ...cached } })).toBeUndefined();
    expect(money.costOf(cheap, { usage: null })).toBeUndefined();
    expect(money.costOf(bare, { usage })).toBe(0.014);
    expect(money.costOf({ ...bare, model: 'guide:other' }, { usage })).toBeUndefined();
    expect(money.costOf({ ...cheap, model: 'nobody/knows' }, { usage })).toBeUndefined();
  });
});

describe('a budget', () => {
  it('below the first line refuses it, in words that name its price', async () => {
    const { money } = await localBatch({ ceilings: { maxCostRub: 0.0001 } });
    expect(await failureOf(() => money.reserve(cheap))).toBe(
      'PriceTooHigh max_cost: line 1 may cost up to 0.00108 RUB, more than the 0.0001 RUB left of --max-cost 0.0001 RUB (limit the answer with --max-tokens N or --shorten, or raise --max-cost)',
    );
  });

  it('waits for what is in flight, and goes on with what that leaves', async () => {
    const { money } = await localBatch({ ceilings: { maxCostRub: 0.0015 } });
    const first = await money.reserve(cheap);
    expect(await money.reserve(cheap)).toBeUndefined();
    first?.settle(0.0004);
    const second = await money.reserve(cheap);
    second?.release();
    expect([money.spentRub, money.reservedRub]).toEqual([0.0004, 0]);
    (await money.reserve(cheap))?.settle(undefined);
    expect(await failureOf(() => money.reserve(cheap))).toContain('more than the 0.00002 RUB left');
  });

  it('gives a job the ceiling of its own that was reserved, unless its line has one', async () => {
    const { money } = await localBatch({ ceilings: { maxCostRub: 5 } });
    const job = { model: 'local/voice', prompt: 'b' };
    const open = await money.reserve(lineOf(generateMedia, job));
    expect(open?.limited?.maxPriceRub).toBeGreaterThan(0);
    expect(open?.limited?.maxPriceRub).toBe(money.reservedRub);
    const own = await money.reserve(lineOf(generateMedia, { ...job, max_price_rub: 1 }));
    expect(own?.limited?.maxPriceRub).toBeUndefined();
    expect((await money.reserve(cheap))?.limited?.maxPriceRub).toBeUndefined();
  });

  it('counts the whole reservation until the usage record says the price', async () => {
    const { charged, money, send } = await localBatch({ ceilings: { maxCostRub: 0.0055 } });
    for (let line = 0; line < 12; line += 1) {
      const held = await money.reserve(cheap);
      held?.settle(undefined, (await send(cheap)).generationId);
    }
    await money.close();
    expect(money.reservedRub).toBeCloseTo(0, 9);
    const sum = (await charged()).reduce<number>((sum, rub) => sum + (rub ?? NaN), 0);
    expect(money.spentRub).toBeCloseTo(sum, 9);
  });

  it('is written down before it is used, so that a run that is killed cannot cross it', async () => {
    const [home, maxCostRub] = [testFolder(), 0.05];
    let [keptRub, spentRub] = [0, 0];
    for (let killed = 0; killed < 3; killed += 1) {
      const commit = (rub: number) => void (keptRub = rub);
      const journal = { committedRub: keptRub, spentRub: 0, unpriced: [], commit };
      const { money } = await localBatch({ home, ceilings: { maxCostRub, journal } });
      for (let line = 0; line < 16; line += 1) {
        const held = await Promise.resolve(money.reserve(cheap)).catch(() => undefined);
        // Every other one is in flight when the run is killed, and charged.
        if (line % 2 === 0) held?.settle(0.0004);
        if (held) spentRub += line % 2 === 0 ? 0.0004 : 0.00108;
        expect(spentRub).toBeLessThanOrEqual(keptRub + 1e-9);
      }
    }
    expect(keptRub).toBeLessThanOrEqual(maxCostRub + 1e-9);
    expect(spentRub).toBeGreaterThan(0.03);
  });

  it('counts what a run without a ceiling has sent and got no answer to', async () => {
    const commit = () => undefined;
    const journal = { committedRub: 0.002, spentRub: 0.0015, unpriced: [cheap], commit };
    const { money } = await localBatch({ ceilings: { maxCostRub: 0.01, journal } });
    expect(money.leftRub).toBeCloseTo(0.01 - 0.0015 - 0.00108, 9);
  });
});

describe('SVC_BUDGET', () => {
  it('holds for all runs, whose rest it gets back', async () => {
    const [home, budget, clock] = [testFolder(), '0.01', new ManualClock()];
    const shown = async () => {
      const env = { SVC_BUDGET: budget };
      const { stdout } = await run('--local budget --jq .day', { home, env, clock });
      return recordOf(JSON.parse(stdout));
    };
    const one = await localBatch({ home, budget, clock });
    const other = await localBatch({ home, budget, clock });
    (await one.money.reserve(cheap))?.settle(0.0004);
    const held = await one.money.reserve(cheap);
    for (let line = 0; line < 8; line += 1) (await other.money.reserve(cheap))?.settle(0.001);
    expect(await failureOf(async () => other.money.reserve(cheap))).toMatch(/^PriceTooHigh budget/);
    held?.release();
    await one.money.close();
    expect(await shown()).toMatchObject({
      spentRub: 0.00748,
      reservedRub: 0.001,
      leftRub: 0.00152,
    });
    (await other.money.reserve(cheap))?.settle(undefined, 'gen_unknown');
    await other.money.close();
    expect(await shown()).toMatchObject({ spentRub: 0.00948, reservedRub: 0, leftRub: 0.00052 });
  });

  it('begins anew with the day, once what is in flight has ended', async () => {
    const clock = new ManualClock({ now: new Date(2026, 10, 30, 23, 59).getTime() });
    const { money } = await localBatch({ budget: '0.0015', clock });
    const late = await money.reserve(cheap);
    clock.pass(60_000);
    expect(await money.reserve(cheap)).toBeUndefined();
    late?.settle(0.001);
    expect(await money.reserve(cheap)).toBeDefined();
  });
});
