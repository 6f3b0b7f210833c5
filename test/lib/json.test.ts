import { expect, test } from 'vitest';
import {
  canonicalJson,
  exactNumber,
  isJsonNumber,
  isRecord,
  jsonFault,
  listOf,
  numberOf,
  recordOf,
  textOf,
} from '../../src/lib/json.js';

const values = [undefined, null, false, 0, 1.5, NaN, Infinity, '', 'a', [], [1], {}, { a: 1 }];

test('each reader accepts its own kind and nothing else', () => {
  expect(values.filter(isRecord)).toEqual([{}, { a: 1 }]);
  expect(values.map(recordOf).filter((value) => Object.keys(value).length > 0)).toEqual([{ a: 1 }]);
  expect(values.flatMap(listOf)).toEqual([1]);
  expect(values.map(textOf).filter((value) => value !== undefined)).toEqual(['', 'a']);
  expect(values.map(numberOf).filter((value) => value !== undefined)).toEqual([0, 1.5]);
});

test.each([
  ['-12', true, -12],
  ['1.5', true, 1.5],
  ['2e3', true, 2000],
  ['9007199254740991', true, Number.MAX_SAFE_INTEGER],
  // Reading these would change them.
  ['9007199254740993', true, undefined],
  ['1e999', true, undefined],
  ['01', false, undefined],
  ['1.', false, undefined],
  ['0x10', false, undefined],
  ['', false, undefined],
])('%j as a number', (text, isNumber, number) => {
  expect([isJsonNumber(text), exactNumber(text)]).toEqual([isNumber, number]);
});

test('equal values are equal texts, whatever the order of their fields', () => {
  const one = canonicalJson({ b: [{ y: 1, x: null }], a: 'é', u: undefined });
  expect(one).toBe('{"a":"é","b":[{"x":null,"y":1}]}');
  expect(one).toBe(canonicalJson({ a: 'é', b: [{ x: null, y: 1 }] }));
  expect(canonicalJson({ l: [1, 2] })).not.toBe(canonicalJson({ l: [2, 1] }));
});

test.each([
  ['{\n  "a": 1,\n}', ' at line 3, column 1'],
  ['{"a": 1', ' at line 1, column 8'],
  ['[', ': it ends unexpectedly'],
  // A message without a place quotes the text.
  ['{"key": sk-secret}', ''],
])('%j is not JSON%s', (text, place) => {
  let fault: unknown;
  try {
    JSON.parse(text);
  } catch (error) {
    fault = error;
  }
  expect(jsonFault(text, fault)).toBe(place);
});
