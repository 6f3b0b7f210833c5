import { describe, expect, it } from 'vitest';
import { listedPrices, modelFacts, priceRank, priceWords } from '../../src/api/model-facts.js';

describe('what an entry says about a model', () => {
  it.each([
    { tier: 2, modalities: 'text+image', limits: { a: 1 }, addresses: [1], type: null },
    { inputPriceUsd: 3 },
    { pricing: { currency: 'USD', input: 3 } },
    { pricing: { inputUsd: 3 } },
  ])('keeps what is not understood, or in another currency: %j', (rest) => {
    expect(modelFacts({ ...rest }, 'by-key')).toMatchObject({ id: 'by-key', amounts: [], rest });
  });

  it('says what is supported, and what is not confirmed', () => {
    for (const [value, supports] of [
      [{ tools: 'supported', seed: 'unconfirmed' }, ['tools', 'seed (unconfirmed)']],
      [{ tools: true, vision: false }, ['tools']],
      [
        ['tools', 'vision'],
        ['tools', 'vision'],
      ],
    ] as const) {
      expect(modelFacts({ supported_parameters: value })).toMatchObject({ supports, rest: {} });
    }
  });

  it('uses the prices of the first channel for a model without any', () => {
    const variants = [
      { id: 'v/m:fast', alias: ':fast', inputRubPerMillionTokens: 2, speed: 9 },
      { id: 'v/m:slow', alias: ':slow' },
    ];
    const amounts = [{ what: 'in', rub: 2, per: '1M tokens' }];
    expect(modelFacts({ id: 'v/m', variants })).toMatchObject({
      amounts,
      channels: [
        { id: 'v/m:fast', amounts, rest: { speed: 9 } },
        { id: 'v/m:slow', amounts: [], rest: {} },
      ],
    });
  });
});

it.each([
  [
    { pricing: { inputRubPerMillionTokens: 100, outputRubPerMillionTokens: 400.5 } },
    '100 in, 400.5 out RUB per 1M tokens',
    [0, 500.5],
  ],
  [{ pricing: { prompt: '0.5', completion: '0.25' } }, '0.5 in, 0.25 out RUB', [0, 0.75]],
  [{ input_price_per_1k: 3 }, '3 in RUB per 1K tokens', [0, 3000]],
  [{ fromRub: 0.6 }, 'from 0.6 RUB', [1, 0.6]],
  [{ priceRub: 5 }, '5 RUB', [1, 5]],
  [{ rubPerRequest: 3, rubPerResult: 0.6 }, '3 RUB per request; 0.6 RUB per result', [1, 0.6]],
  [{ priceRub: 'ask us' }, '', [2, 0]],
])('the price %j is described in words, and ranked', (entry, words, rank) => {
  const { amounts } = modelFacts({ ...entry });
  expect(priceWords(amounts)).toBe(words);
  expect(priceRank(amounts)).toEqual(rank);
});

it.each([
  [{ prompt_rub_per_1k: 3, completion_rub_per_1k: 4 }, [3, 4]],
  [{ inputRubPerMillionTokens: 3, output_rub_per_1k: 4 }, [3, undefined]],
  [{ rubPerRequest: 3, rubPerResult: 0.6 }, [3, undefined]],
  [{ cacheRubPerMillionTokens: 1, inputRubPerMillionTokens: 3 }, [3, undefined]],
  [{}, [undefined, undefined]],
])('a list shows of the price %j what has one unit, with input and output first', (entry, rub) => {
  expect(listedPrices(modelFacts({ ...entry }).amounts).map((amount) => amount?.rub)).toEqual(rub);
});
