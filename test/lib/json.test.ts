import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  canonicalJson,
  isJsonNumber,
  isRecord,
  jsonFault,
  listOf,
  numberOf,
  parsedJson,
  recordOf,
  textOf,
  toJson,
  withAllDigits,
  withDigits,
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
  ['-12', true],
  ['1.5', true],
  ['2e3', true],
  ['01', false],
  ['1.', false],
  ['0x10', false],
  ['', false],
])('%j as a number', (text, isNumber) => {
  expect(isJsonNumber(text)).toBe(isNumber);
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

const changing =
  '{"id":12345678901234567890,"price":1.10,"huge":[1e400,-0,{"x":1E5}],"small":0.00000012}';

test.each([
  changing,
  '[12345678901234567890]',
  '{"a":-0}',
  '{\n  "a": 1.10\n}',
  '{"a":[[1.0]],"b":"1.10, 2.0"}',
  '{"__proto__":1.10,"constructor":2.0}',
  '{"a":1.5,"b":0,"c":-3,"d":0.1,"e":1e+21}',
])('%s is written as it was read', (text) => {
  expect(toJson(parsedJson(text), text.includes('\n') ? 2 : undefined)).toBe(text);
});

test('what is read is what JSON.parse makes of it, with numbers', () => {
  const text = `{"a":1.10,"a":2,"__proto__":{"b":1e400},"c":"12345678901234567890","d":[-0]}`;
  const value = parsedJson(text);
  const plain: unknown = JSON.parse(text);
  expect(JSON.stringify(value)).toBe(JSON.stringify(plain));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect([parsedJson('1.10'), parsedJson('-0'), parsedJson('{"a":01.10}')]).toEqual([
    1.1,
    -0,
    undefined,
  ]);
});

test('a copy has the digits of its value, and a new value its own', () => {
  const value = recordOf(parsedJson('{"id":12345678901234567890,"price":1.10,"n":2.0}'));
  const { id, ...rest } = value;
  expect(id).toBe(Number('12345678901234567890'));
  expect(toJson({ ...value, n: 3 })).toBe('{"id":12345678901234567890,"price":1.10,"n":3}');
  expect(toJson({ first: 1.1, ...rest })).toBe('{"first":1.1,"price":1.10,"n":2.0}');
  const later = recordOf(parsedJson('{"price":1.100}'));
  const fields = Object.fromEntries(Object.entries({ ...value, ...later }));
  expect(toJson(withDigits(withDigits(fields, value), later))).toBe(
    '{"id":12345678901234567890,"price":1.100,"n":2.0}',
  );
  const Known = z.looseObject({ inner: z.looseObject({ id: z.number() }) });
  const whole = parsedJson('{"inner":{"id":1.0,"more":[1.0]}}');
  expect(toJson(withAllDigits(Known.parse(whole), whole))).toBe(
    '{"inner":{"id":1.0,"more":[1.0]}}',
  );
});

test('two texts that differ in a digit are not the same value', () => {
  const hashes = ['1', '1.0', '12345678901234567890', '12345678901234567891'].map((number) =>
    canonicalJson({ b: [parsedJson(`{"d":1,"c":${number}}`)], a: 1 }),
  );
  expect(hashes).toEqual([
    '{"a":1,"b":[{"c":1,"d":1}]}',
    '{"a":1,"b":[{"c":1.0,"d":1}]}',
    '{"a":1,"b":[{"c":12345678901234567890,"d":1}]}',
    '{"a":1,"b":[{"c":12345678901234567891,"d":1}]}',
  ]);
});
