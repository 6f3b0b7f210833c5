import { expect, it } from 'vitest';
import { coerce, optionsOf, shapeOf, typeWords } from '../../../src/media/model-options.js';
import { violationsOf } from '../../../src/media/violations.js';
import type { JsonRecord } from '../../../src/lib/json.js';

const takes = (opts: JsonRecord, more: JsonRecord = {}): JsonRecord => ({
  type: 'object',
  properties: { model: { const: 'vendor/m' }, prompt: { type: 'string' }, opts },
  ...more,
});

function wrong(schema: JsonRecord, opts: JsonRecord, standIns: readonly string[] = []) {
  return violationsOf([{ name: undefined, schema }], {
    body: { model: 'vendor/m', opts },
    standIns: new Set(standIns),
    model: 'vendor/m',
  });
}

it.each([
  ['5', { type: 'integer' }, 5],
  ['5', { type: ['string', 'integer'] }, 5],
  ['5', {}, 5],
  ['{"a":[1]}', {}, { a: [1] }],
  ['5', { enum: ['5', '10'] }, '5'],
  ['5', { enum: [5, 10] }, 5],
  ['true', { type: 'boolean' }, true],
  ['a, b', { type: 'array', items: { type: 'string' } }, ['a', 'b']],
  ['["a,b"]', { type: 'array', items: { type: 'string' } }, ['a,b']],
  ['', { type: 'array' }, []],
  ['{"a":1}', { type: 'object' }, { a: 1 }],
])('the text of an option %j with %j is %j', (text, schema, value) => {
  expect(coerce('x', text, shapeOf({}, schema))).toEqual(value);
});

it.each([
  ['words\n', [{ type: 'string' }], 'words\n'],
  ['la la la', [], 'la la la'],
  ['draft\n', [{ type: 'string', enum: ['draft', 'high'] }], 'draft'],
  ['"draft"\n', [{ type: 'string', enum: ['draft', 'high'] }], 'draft'],
])('the text of an option of a file, %j with %j, is %j', (text, schemas, value) => {
  expect(coerce('x', text, { schemas, items: [] }, true)).toEqual(value);
});

it('the options of a schema are found wherever it mentions them', () => {
  const schema: JsonRecord = {
    allOf: [takes({ $ref: '#/$defs/opts' })],
    anyOf: [takes({ properties: { b: { type: 'string' } }, required: ['b'] })],
    if: takes({ properties: { never: {} } }),
    then: takes({ properties: { c: {} } }),
    $defs: { opts: { properties: { 'a/b': {} }, required: ['a/b'] } },
  };
  expect(optionsOf([schema]).map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['a/b', true],
    ['b', false],
    ['c', false],
  ]);
});

it.each([
  [{}, []],
  [{ $ref: '#/$defs/self', $defs: { self: { $ref: '#/$defs/self' } } }, []],
  [{ $ref: 'https://elsewhere.example/schema' }, []],
])('the options of a schema of %j are %j', (schema, options) => {
  expect(optionsOf([schema])).toEqual(options);
});

it.each([
  [{ enum: ['a', 'b', 'c'] }, 'a, b or c'],
  [{ enum: Array.from({ length: 30 }, (_, n) => n) }, /^0, 1, .* 23 and 6 more$/],
  [{ type: 'integer', minimum: 1, maximum: 4 }, 'a whole number from 1 to 4'],
  [{ type: ['string', 'null'] }, 'text'],
  [{ type: 'array', items: { enum: ['x', 'y'] } }, 'a list of x or y'],
  [{ type: 'array' }, 'a list of values'],
  [{}, 'anything'],
])('the options of a schema %j is %s', (schema, words) => {
  const text = typeWords(shapeOf({}, schema));
  if (words instanceof RegExp) expect(text).toMatch(words);
  else expect(text).toBe(words);
});

const oneSource = {
  properties: { image_url: { type: 'string' }, image_file_id: { type: 'string' } },
  additionalProperties: false,
};
const either = [{ required: ['image_url'] }, { required: ['image_file_id'] }];

it.each([
  [takes({ ...oneSource, oneOf: either }), {}, ['one of image_url or image_file_id is required']],
  [
    takes({ ...oneSource, oneOf: either }),
    { image_url: 'a', image_file_id: 'b' },
    ['image_url and image_file_id cannot be combined'],
  ],
  [
    takes({ not: { required: ['size', 'ratio'] } }),
    { size: 1, ratio: 2 },
    ['size and ratio cannot be combined'],
  ],
  [takes({ properties: { x: false } }), { x: 1 }, ['x is not accepted in this combination']],
  [takes({ dependentRequired: { mask: ['image'] } }), { mask: 1 }, ['mask needs image']],
  [
    takes({ properties: { s: { minLength: 3 } } }),
    { s: 'ab' },
    ['s must be at least 3 characters long'],
  ],
  [
    takes({ properties: { l: { items: { type: 'integer' } } } }),
    { l: [1, 'x'] },
    ['l[1] must be a whole number'],
  ],
  [takes({ properties: { o: { required: ['a'] } } }), { o: {} }, ['o.a is missing']],
  [takes({ unevaluatedProperties: false }), { x: 1 }, ['vendor/m has no option x; it takes none']],
  [takes({}, { required: ['prompt'] }), {}, ['prompt is missing']],
  [takes({}, { properties: { model: { const: 'other' } } }), {}, []],
])('the fault of a request %j', (schema, opts, sentences) => {
  expect(wrong(schema, opts)).toEqual(sentences);
});

it('the fault of a request is nothing when one of several operations accepts it, else the fault found by the nearest', () => {
  const operations = [
    takes({ required: ['image_url'] }, { required: ['prompt'] }),
    takes({ required: ['video_url'] }),
  ].map((schema) => ({ name: undefined, schema }));
  const check = (body: JsonRecord) =>
    violationsOf(operations, { body, standIns: new Set(), model: 'm' });
  expect(check({ opts: { video_url: 'v' } })).toEqual([]);
  expect(check({ opts: {} })).toEqual(['video_url is missing']);
});

it('the fault of a request is not reported for a placeholder', () => {
  const schema = takes({ properties: { image_file_id: { pattern: '^file_', maxLength: 3 } } });
  expect(wrong(schema, { image_file_id: 'source' })).toHaveLength(2);
  expect(wrong(schema, { image_file_id: 'source' }, ['image_file_id'])).toEqual([]);
});

it.each([
  ['a reference that leads nowhere', { $ref: '#/nowhere' }],
  ['a reference to elsewhere', { $ref: 'https://elsewhere.example/x' }],
  ['a pattern that is none', takes({ properties: { s: { pattern: '(' } } })],
  ['a schema that is none', { type: 5 }],
])('the fault of a request is left to the service where the schema has %s', (_, schema) => {
  expect(wrong(schema, { s: 'a' })).toEqual([]);
});

it('a schema that is designed to be slow is read once, however often it refers to itself', () => {
  const anyOf = Array.from({ length: 200 }, () => ({ $ref: '#/properties/opts' }));
  const schema = takes({ anyOf, properties: { size: { type: 'string' } } });
  expect(optionsOf([schema]).map(({ name }) => name)).toEqual(['size']);
});

it('a schema that is designed to be slow shares a time limit with all the others of its model, and then the service decides', () => {
  const schema = { required: ['never'], properties: { prompt: { pattern: '^(a+)+$' } } };
  const operations = Array.from({ length: 30 }, () => ({ name: undefined, schema }));
  const body = { prompt: `${'a'.repeat(40)}!` };
  const before = process.cpuUsage();
  expect(violationsOf(operations, { body, standIns: new Set(), model: 'm' }, 100)).toEqual([]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(100 * operations.length);
});
