import { expect, it } from 'vitest';
import { newProgress } from '../../../src/batch/progress.js';
import { progressWords, standing, type Watched } from '../../../src/commands/batch/progress.js';

const watched = (maxCostRub?: number, spentRub = 0): Watched => ({
  progress: {
    ...newProgress(),
    done: 1200,
    failed: 3,
    inFlight: 64,
    tokens: 60_000,
  },
  money: { spentRub: 12.5 },
  todo: 10_000,
  before: { done: 500, failed: 0, spentRub },
  maxCostRub,
  startedAtMs: 0,
});

it.each([
  [
    120,
    '1700/10500 · 3 failed · 1:14 left · 12.50 RUB of 100.00 RUB · 120.3/s · 64 in flight · 6000 tokens/s',
  ],
  [80, '1700/10500 · 3 failed · 1:14 left · 12.50 RUB of 100.00 RUB · 120.3/s'],
  [40, '1700/10500 · 3 failed · 1:14 left'],
])('shows in %i columns what fits, the most important first', (columns, expected) => {
  expect(progressWords(watched(100), 10_000, { columns, language: 'en' })).toBe(expected);
});

it('the progress of a batch says what this run has spent and what all runs have, where they differ', () => {
  expect(progressWords(watched(100, 5), 10_000, { columns: 120, language: 'en' })).toContain(
    ' · 12.50 RUB now, 17.50 RUB in all of 100.00 RUB · ',
  );
  expect(standing(watched(100, 5), 10_000)).toMatchObject({ cost: { inAllRub: 17.5 } });
});

it('the progress of a batch is an object for programs', () => {
  expect(standing(watched(), 10_000)).toEqual({
    total: 10_500,
    done: 1700,
    failed: 3,
    unknown: 0,
    left: 8797,
    inFlight: 64,
    perSecond: 120.3,
    tokensPerSecond: 6000,
    cost: { priceRub: 12.5, inAllRub: 12.5 },
    maxCostRub: null,
    leftSeconds: 74,
  });
});
