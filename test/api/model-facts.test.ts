import { describe, expect, it } from 'vitest';
import { modelFacts, priceRank, priceWords } from '../../src/api/model-facts.js';

describe('what an entry tells of a model', () => {
  it('keeps what is not understood, whatever it is', () => {
    const rest = {
      tier: 2,
      modalities: 'text+image',
      limits: { a: 1 },
      addresses: [1],
      type: null,
    };
    expect(modelFacts({ id: 'm', ...rest }).rest).toEqual(rest);
    expect(modelFacts({}, 'by-key')).toMatchObject({ id: 'by-key', rest: {} });
  });

  it('tells what is supported, and what is not confirmed', () => {
    expect(
      modelFacts({ supported_parameters: { tools: 'supported', seed: 'unconfirmed' } }).supports,
    ).toEqual(['tools', 'seed (unconfirmed)']);
    expect(modelFacts({ features: ['tools', 'vision'] }).supports).toEqual(['tools', 'vision']);
    expect(modelFacts({ capabilities: { tools: true, vision: false } }).supports).toEqual([
      'tools',
    ]);
  });

  it('takes the prices of the first channel for those of a model without any', () => {
    const variants = [
      { id: 'v/m:fast', alias: ':fast', inputRubPerMillionTokens: 2, speed: 9 },
      { id: 'v/m:slow', alias: ':slow', inputRubPerMillionTokens: 1 },
    ];
    const facts = modelFacts({ id: 'v/m', variants });
    expect(facts.amounts).toEqual([{ what: 'in', rub: 2, per: '1M tokens' }]);
    expect(facts.channels).toEqual([
      { id: 'v/m:fast', amounts: [{ what: 'in', rub: 2, per: '1M tokens' }], rest: { speed: 9 } },
      { id: 'v/m:slow', amounts: [{ what: 'in', rub: 1, per: '1M tokens' }], rest: {} },
    ]);
    expect(modelFacts({ addresses: ['v/m:a', 'v/m:b'] }).channels.map(({ id }) => id)).toEqual([
      'v/m:a',
      'v/m:b',
    ]);
  });
});

describe('the price of a model', () => {
  const words = (entry: object) => priceWords(modelFacts({ ...entry }).amounts);

  it.each([
    [
      { pricing: { inputRubPerMillionTokens: 100, outputRubPerMillionTokens: 400.5 } },
      '100 in, 400.5 out RUB per 1M tokens',
    ],
    [{ pricing: { prompt: '0.0001', completion: '0.0004' } }, '0.0001 in, 0.0004 out RUB'],
    [{ input_price_per_1k: 3, output_price_per_1k: 6 }, '3 in, 6 out RUB per 1K tokens'],
    [{ fromRub: 0.6 }, 'from 0.6 RUB'],
    [{ priceRub: 5 }, '5 RUB'],
    [{ rubPerRequest: 0.3, rubPerResult: 0.06 }, '0.3 RUB per request; 0.06 RUB per result'],
    [{ priceRub: 'ask us' }, ''],
  ])('of %j is said in words', (entry, said) => {
    expect(words(entry)).toBe(said);
  });

  it('in another currency is not mixed with roubles', () => {
    for (const entry of [
      { inputPriceUsd: 3 },
      { pricing: { currency: 'USD', input: 3 } },
      { pricing: { inputUsd: 3 } },
    ]) {
      expect(modelFacts(entry)).toMatchObject({ amounts: [], rest: entry });
    }
  });

  it('ranks tokens before other ways to pay, and nothing last', () => {
    const rank = (entry: object) => priceRank(modelFacts({ ...entry }).amounts);
    expect(rank({ pricing: { inputPerMillion: 1, outputPerMillion: 2 } })).toEqual([0, 3]);
    expect(rank({ input_price_per_1k: 1 })).toEqual([0, 1000]);
    expect(rank({ fromRub: 0.1 })).toEqual([1, 0.1]);
    expect(rank({})).toEqual([2, 0]);
  });
});
