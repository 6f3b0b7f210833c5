/** What is made up fits its schema, by a validator of its own; what cannot be made up is said. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { structured } from '../../../src/service/engines/structured.js';

const ajv = new Ajv2020({ strict: false, logger: false });
formats.default(ajv);

/** The value for a schema. */
function made(schema: unknown, text?: string): unknown {
  const [json = ''] = structured([{ schema, what: 'it', param: 'schema' }], text);
  return JSON.parse(json);
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    age: { type: 'integer', minimum: 18, exclusiveMaximum: 20 },
    tags: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true },
    address: { $ref: '#/$defs/address' },
    nothing: { type: 'null' },
  },
  required: ['name', 'age', 'tags', 'address', 'nothing'],
  additionalProperties: false,
  $defs: {
    address: {
      type: 'object',
      properties: { zip: { type: 'string', pattern: '^[0-9]{5}(-[0-9]{4})?$' } },
      required: ['zip'],
    },
  },
};

const tree = {
  type: 'object',
  properties: {
    value: { type: 'number' },
    left: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
    right: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
  },
  required: ['value', 'left', 'right'],
};

const event = {
  oneOf: [
    { properties: { kind: { const: 'a' }, x: { type: 'number' } }, required: ['kind', 'x'] },
    { properties: { kind: { const: 'b' }, y: { type: 'string' } }, required: ['kind', 'y'] },
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
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
  ],
  [
    'both of two schemas',
    {
      allOf: [
        { type: 'object', properties: { n: { minimum: 3 } }, required: ['n'] },
        { properties: { n: { type: 'integer', maximum: 3 } } },
      ],
    },
  ],
  [
    'a condition',
    {
      type: 'object',
      properties: { plan: { enum: ['pro', 'free'] } },
      required: ['plan'],
      if: { properties: { plan: { const: 'pro' } } },
      then: { required: ['seats'], properties: { seats: { type: 'integer', minimum: 1 } } },
    },
  ],
  [
    'free properties',
    { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 3 },
  ],
  [
    'named by a pattern',
    { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, required: ['x-a'] },
  ],
  [
    'a property that needs another',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      dependentRequired: { a: ['b', 'c'] },
    },
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
  let schema: unknown = { type: 'integer', minimum: 1 };
  for (let i = 0; i < length; i += 1) {
    schema = { type: 'object', properties: { next: schema }, required: ['next'] };
  }
  return schema;
}

describe('structured', () => {
  it.each(cases)('makes up a value for %s', (_, schema) => {
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
  ])('says so when %s', (_, schema) => {
    expect(() => made(schema)).toThrow(/^local models cannot generate it: /);
  });

  it('puts the given text into the first string that is free, and only there', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', pattern: '^[0-9]+$' },
        kind: { enum: ['x'] },
        answer: { type: 'string' },
        note: { type: 'string' },
      },
      required: ['id', 'kind', 'answer', 'note'],
    };
    expect(made(schema, 'Use `svc balance`.')).toEqual({
      id: expect.stringMatching(/^[0-9]+$/),
      kind: 'x',
      answer: 'Use `svc balance`.',
      note: 'note',
    });
  });

  it('says something rather than null, and takes the first of the alternatives', () => {
    expect(made({ type: ['null', 'string'] }, 'words')).toBe('words');
    expect(made({ anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] })).toBe(3);
    expect(made({ enum: ['b', 'a'] })).toBe('b');
    expect(made({}, 'words')).toBe('words');
  });

  it.each([
    ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri'],
    ...['uuid', 'json-pointer', 'one that nobody knows'],
  ])('makes up a string of the format %s', (format) => {
    expect(ajv.validate({ type: 'string', format }, made({ type: 'string', format }))).toBe(true);
  });
});
