import { expect, test } from 'vitest';
import { formatRub } from '../../src/lib/money.js';

test.each([
  [0, '0.00 RUB'],
  [1, '1.00 RUB'],
  [12.3, '12.30 RUB'],
  [12.345678, '12.35 RUB'],
  [999_999.99, '999999.99 RUB'],
  [0.5, '0.50 RUB'],
  [0.05, '0.05 RUB'],
  [0.012, '0.012 RUB'],
  [0.0123, '0.0123 RUB'],
  [0.000001, '0.000001 RUB'],
  [0.1 + 0.2, '0.30 RUB'],
  [-0.012, '-0.012 RUB'],
  [-3, '-3.00 RUB'],
  [0.9999999, '1.00 RUB'],
])('%d is %s', (amount, text) => {
  expect(formatRub(amount)).toBe(text);
});

test('an amount too small to show is not shown as nothing', () => {
  expect(formatRub(0.0000004)).toBe('<0.000001 RUB');
  expect(formatRub(0.0000006)).toBe('0.000001 RUB');
  expect(formatRub(-0)).toBe('0.00 RUB');
});
