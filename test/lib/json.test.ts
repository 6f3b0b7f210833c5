import { expect, test } from 'vitest';
import { isRecord, listOf, numberOf, recordOf, textOf } from '../../src/lib/json.js';

const values = [
  undefined,
  null,
  false,
  true,
  0,
  1.5,
  NaN,
  Infinity,
  '',
  'a',
  [],
  [1],
  {},
  { a: 1 },
];

test('each reader takes its own kind and nothing else', () => {
  expect(values.filter(isRecord)).toEqual([{}, { a: 1 }]);
  expect(values.map(recordOf).filter((value) => Object.keys(value).length > 0)).toEqual([{ a: 1 }]);
  expect(values.flatMap(listOf)).toEqual([1]);
  expect(values.map(textOf).filter((value) => value !== undefined)).toEqual(['', 'a']);
  expect(values.map(numberOf).filter((value) => value !== undefined)).toEqual([0, 1.5]);
});

test('records and lists are handed over as they are', () => {
  const record = { a: 1 };
  const list = [1];
  expect(recordOf(record)).toBe(record);
  expect(listOf(list)).toBe(list);
});
