/** Schemas put together at random: what is made up always fits, by a validator of others. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { matches } from '../../../../src/service/engines/schema/matches.js';
import { sample } from '../../../../src/service/engines/schema/sample.js';
import { asSchema, SchemaTrouble } from '../../../../src/service/engines/schema/schema.js';
import { seeded, type Random } from '../../../helpers/random.js';

type Made = Record<string, unknown>;

function randomSchema(random: Random, depth: number): Made | boolean {
  const inner = () => randomSchema(random, depth - 1);
  const list = () => Array.from({ length: 1 + random.below(3) }, inner);
  const small = () => random.below(8) - 2;
  const leaves: readonly [() => Made, ...(() => Made)[]] = [
    () => ({ type: 'string', minLength: random.below(4), maxLength: 2 + random.below(5) }),
    () => ({ type: 'string', pattern: random.pick(['^a+$', '^\\d{2,3}$', '[xyz]', '^(a|b)?c$']) }),
    () => ({ type: 'integer', minimum: small(), maximum: small() + 3 }),
    () => ({ type: 'number', exclusiveMinimum: small(), multipleOf: random.pick([0.5, 2, 3]) }),
    () => ({ type: random.pick(['boolean', 'null', 'integer', 'string', 'object', 'array']) }),
    () => ({ type: [random.pick(['null', 'boolean']), random.pick(['integer', 'string'])] }),
    () => ({ enum: [small(), 'x', null, { a: 1 }].slice(random.below(3)) }),
    () => ({ const: random.pick<unknown>([1, 'y', [1], { b: null }]) }),
    () => ({ $ref: '#/$defs/one' }),
    () => ({}),
  ];
  if (depth <= 0) return random.below(20) === 0 ? random.below(2) === 0 : random.pick(leaves)();
  const branches: readonly [() => Made, ...(() => Made)[]] = [
    ...leaves,
    () => randomObject(random, inner),
    () => randomObject(random, inner),
    () => ({
      type: 'array',
      items: inner(),
      minItems: random.below(3),
      maxItems: 1 + random.below(3),
      uniqueItems: random.below(2) === 0,
    }),
    () => ({ type: 'array', prefixItems: list(), items: inner() }),
    () => ({ anyOf: list() }),
    () => ({ oneOf: list() }),
    () => ({ allOf: list() }),
    () => ({ ...random.pick(leaves)(), not: inner() }),
    () => ({ if: inner(), then: inner(), else: inner() }),
  ];
  return random.pick(branches)();
}

function randomObject(random: Random, inner: () => Made | boolean): Made {
  const names = ['a', 'b', 'c', 'd'].slice(random.below(3));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, inner()])),
    required: names.filter(() => random.below(2) === 0),
    ...(random.below(2) === 0
      ? { additionalProperties: random.below(2) === 0 ? false : inner() }
      : {}),
    ...(random.below(4) === 0 ? { minProperties: random.below(4) } : {}),
  };
}

/** The other validator cannot take a definition that is itself. */
function withoutReferences(schema: Made | boolean): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('{"$ref":"#/$defs/one"}', '{"const":2}'));
}

it('holds for 150 random schemas', { timeout: 120_000 }, () => {
  const random = seeded(2);
  let made = 0;
  for (let round = 0; round < 150; round += 1) {
    const body = randomSchema(random, 3);
    if (typeof body === 'boolean') continue;
    const schema = { ...body, $defs: { one: withoutReferences(randomSchema(random, 1)) } };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(schema);
    try {
      const value: unknown = JSON.parse(JSON.stringify(sample(schema)));
      expect(validate(value), JSON.stringify({ schema, value, why: validate.errors })).toBe(true);
      made += 1;
    } catch (error) {
      if (!(error instanceof SchemaTrouble)) throw error;
    }
    for (const value of [null, 0, 3, 'x', 'aa', [], [1, 1], {}, { a: 1 }, { a: 'x', b: null }]) {
      const verdict = judge(value, schema);
      if (verdict !== undefined) {
        expect(verdict, JSON.stringify({ schema, value })).toBe(validate(value));
      }
    }
  }
  // Many random schemas contradict themselves; most can be satisfied.
  expect(made).toBeGreaterThan(100);
});

function judge(value: unknown, schema: Made): boolean | undefined {
  try {
    return matches(value, asSchema(schema), asSchema(schema));
  } catch (error) {
    if (error instanceof SchemaTrouble) return undefined;
    throw error;
  }
}
