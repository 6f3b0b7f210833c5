import { expect, it } from 'vitest';
import { wholeKopecks } from '../../../../src/service/media/engines/money.js';

it.each([
  // 110.00000000000001 kopecks in binary fractions.
  [1.1, 1.1],
  [0.57, 0.57],
  [0.0001, 0.01],
  [2.341, 2.35],
  [288, 288],
  [0, 0],
])('%d RUB come out as %d', (rub, kopecks) => {
  expect(wholeKopecks(rub)).toBe(kopecks);
});
