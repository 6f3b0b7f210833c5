import { expect, test } from 'vitest';
import { exactNumber, isJsonNumber } from '../../src/lib/json-number.js';

test.each([
  ['0', 0],
  ['-12', -12],
  ['1.5', 1.5],
  ['2e3', 2000],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('%s is the number %d', (text, number) => {
  expect([isJsonNumber(text), exactNumber(text)]).toEqual([true, number]);
});

test.each(['9007199254740993', '-12345678901234567890', '1e999'])(
  '%s is a number that would be changed by reading it',
  (text) => {
    expect([isJsonNumber(text), exactNumber(text)]).toEqual([true, undefined]);
  },
);

test.each(['', '01', '+1', '.5', '1.', '0x10', 'NaN', ' 1', '1e'])('%j is none', (text) => {
  expect([isJsonNumber(text), exactNumber(text)]).toEqual([false, undefined]);
});
