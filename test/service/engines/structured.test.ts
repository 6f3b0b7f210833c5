/** What is made up fits its schema, by a validator of its own; what cannot be made up is said. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { structured } from '../../../src/service/engines/structured.js';

const ajv = new Ajv2020({ strict: false, logger: false });
formats.default(ajv);

/** The value for a schema. */
function made(schema: unknown, text?: string): unknown {
  const [json = ''] = structured([{ schema, what: 'it', param: 'schema' }], text);
  return JSON.parse(json);
}

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;

/** An object that must have these properties. */
function object(properties: Readonly<Record<string, unknown>>, more: object = {}) {
  return { type: 'object', properties, required: Object.keys(properties), ...more };
}

const address = object({ zip: { ...text, pattern: '^[0-9]{5}(-[0-9]{4})?$' } });
const person = object(
  {
    name: { ...text, minLength: 1, maxLength: 5 },
    age: { ...integer, minimum: 18, exclusiveMaximum: 20 },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true },
    address: { $ref: '#/$defs/address' },
    nothing: { type: 'null' },
  },
  { additionalProperties: false, $defs: { address } },
);
const branch = { anyOf: [{ $ref: '#' }, { type: 'null' }] };
const tree = object({ value: { type: 'number' }, left: branch, right: branch });
const event = {
  oneOf: [
    { properties: { kind: { const: 'a' }, x: { type: 'number' } }, required: ['kind', 'x'] },
    { properties: { kind: { const: 'b' }, y: text }, required: ['kind', 'y'] },
  ],
  properties: { kind: { enum: ['b', 'c'] } },
  type: 'object',
};

const cases: readonly [string, unknown][] = [
  ['an object with bounds, enums and references', person],
  ['a tree that refers to itself', tree],
  ['a tagged union narrowed from outside', event],
  ['true', true],
  ['the empty schema', {}],
  ['a multiple of a decimal step', { type: 'number', multipleOf: 0.1, minimum: 0.25 }],
  ['a tuple', { type: 'array', prefixItems: [text, integer], items: false }],
  [
    'both of two schemas',
    { allOf: [object({ n: { minimum: 3 } }), { properties: { n: { ...integer, maximum: 3 } } }] },
  ],
  [
    'a condition',
    object(
      { plan: { enum: ['pro', 'free'] } },
      { if: { properties: { plan: { const: 'pro' } } }, then: object({ seats: integer }) },
    ),
  ],
  [
    'free properties',
    { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 3 },
  ],
  [
    'named by a pattern',
    { type: 'object', patternProperties: { '^x-': integer }, required: ['x-a'] },
  ],
  [
    'a property that needs another',
    object({ a: text, b: integer }, { required: [], dependentRequired: { a: ['b', 'c'] } }),
  ],
  ['a default that does not fit', { type: 'integer', minimum: 5, default: 1, examples: ['x', 6] }],
  ['a deep chain', chain(40)],
  ...[
    '^[A-Z]{2}\\d{3,}$',
    '^(foo|bar)+$',
    '^[^a-zA-Z0-9]{8}$',
    '\\$\\d+\\.\\d{2}',
    '^#[0-9a-fA-F]{6}$',
  ].map((pattern): [string, unknown] => [
    `the pattern ${pattern}`,
    { type: 'string', pattern, minLength: 6 },
  ]),
];

function chain(length: number): unknown {
  let schema: unknown = { ...integer, minimum: 1 };
  for (let i = 0; i < length; i += 1) schema = object({ next: schema });
  return schema;
}

it.each(cases)('structured makes up a value for %s', (_, schema) => {
  const wire = made(schema);
  const validate = ajv.compile(typeof schema === 'boolean' ? schema : Object(schema));
  expect(validate(wire), JSON.stringify({ wire, errors: validate.errors })).toBe(true);
});

it.each<[string, unknown]>([
  ['nothing fits', false],
  ['bounds exclude each other', { type: 'integer', minimum: 5, maximum: 4 }],
  ['it refers to itself without end', { $ref: '#' }],
  ['every value nests without end', { type: 'array', minItems: 1, items: { $ref: '#' } }],
  ['a reference leads nowhere', { $ref: '#/$defs/none' }],
  ['a reference leads elsewhere', { $ref: 'https://example.com/schema.json' }],
  ['a pattern looks around', { type: 'string', pattern: '^(?=x)y$' }],
  ['it asks for a million items', { type: 'array', minItems: 1_000_000 }],
  ['a schema is a number', { type: 'object', properties: { a: 3 }, required: ['a'] }],
])('structured says so when %s', (_, schema) => {
  expect(() => made(schema)).toThrow(/^local models cannot generate it: /);
});

it('structured puts the given text into the first string that is free, and only there', () => {
  const id = { ...text, pattern: '^[0-9]+$' };
  const schema = object({ id, kind: { enum: ['x'] }, answer: text, note: text });
  expect(made(schema, 'Use `svc balance`.')).toEqual({
    id: expect.stringMatching(/^[0-9]+$/),
    kind: 'x',
    answer: 'Use `svc balance`.',
    note: 'note',
  });
});

it('structured says something rather than null, and takes the first of the alternatives', () => {
  expect(made({ type: ['null', 'string'] }, 'words')).toBe('words');
  expect(made({ anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] })).toBe(3);
  expect(made({ enum: ['b', 'a'] })).toBe('b');
  expect(made({}, 'words')).toBe('words');
});

it.each([
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri'],
  ...['uuid', 'json-pointer', 'one that nobody knows'],
])('structured makes up a string of the format %s', (format) => {
  expect(ajv.validate({ type: 'string', format }, made({ type: 'string', format }))).toBe(true);
});
