/** Schemas without their combinations: each way to satisfy them becomes one flat schema. */
import { isRecord } from '../../../lib/json.js';
import { demandTime } from './bounded.js';
import {
  asSchema,
  namesOf,
  numberOf,
  resolveReference,
  sameJson,
  schemaList,
  SchemaTrouble,
  typesOf,
  type Schema,
} from './schema.js';

const combining = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const;
const deepest = 50;

/** Yields flat schemas, the preferred first; a value that fits one of them is worth checking. */
export function* flatten(schema: Schema, root: Schema, depth = 0): Generator<Schema> {
  demandTime();
  if (depth > deepest) throw new SchemaTrouble('the schema refers to itself without end');
  const parts: Schema[][] = [];
  if (typeof schema.$ref === 'string') parts.push([resolveReference(root, schema.$ref)]);
  for (const part of schemaList(schema, 'allOf')) parts.push([part]);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schemaList(schema, keyword);
    if (branches.length > 0) parts.push(branches);
  }
  if (schema.if !== undefined) parts.push(conditions(schema));
  yield* combine(withoutCombinations(schema), parts, root, depth + 1);
}

function* combine(
  base: Schema,
  parts: readonly (readonly Schema[])[],
  root: Schema,
  depth: number,
): Generator<Schema> {
  const [branches, ...others] = parts;
  if (!branches) {
    yield base;
    return;
  }
  for (const branch of branches) {
    for (const flat of flatten(branch, root, depth)) {
      yield* combine(merge(base, flat), others, root, depth);
    }
  }
}

function conditions(schema: Schema): Schema[] {
  const then = { allOf: [asSchema(schema.if), asSchema(schema.then)] };
  return [then, asSchema(schema.else)];
}

function withoutCombinations(schema: Schema): Schema {
  const entries = Object.entries(schema);
  return Object.fromEntries(entries.filter(([name]) => !combining.some((word) => word === name)));
}

const largest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const smallest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;

/** One schema that asks for what both ask for, as far as one flat schema can. */
function merge(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a, ...b };
  for (const word of largest) bound(merged, word, a, b, Math.max);
  for (const word of smallest) bound(merged, word, a, b, Math.min);
  mergeTypes(merged, a, b);
  mergeEnums(merged, a, b);
  mergeProperties(merged, a, b);
  const required = [...new Set([...namesOf(a, 'required'), ...namesOf(b, 'required')])];
  if (required.length > 0) merged.required = required;
  if (a.items !== undefined && b.items !== undefined) merged.items = { allOf: [a.items, b.items] };
  if (a.additionalProperties === false) merged.additionalProperties = false;
  return merged;
}

function bound(
  merged: Record<string, unknown>,
  word: string,
  a: Schema,
  b: Schema,
  choose: (one: number, other: number) => number,
): void {
  const one = numberOf(a, word);
  const other = numberOf(b, word);
  if (one !== undefined && other !== undefined) merged[word] = choose(one, other);
}

function mergeTypes(merged: Record<string, unknown>, a: Schema, b: Schema): void {
  const one = typesOf(a);
  const other = typesOf(b);
  if (!one || !other) return;
  const both = one.flatMap((type) => {
    if (other.includes(type)) return [type];
    if (type === 'number' && other.includes('integer')) return ['integer'];
    return type === 'integer' && other.includes('number') ? ['integer'] : [];
  });
  merged.type = both;
}

function mergeEnums(merged: Record<string, unknown>, a: Schema, b: Schema): void {
  const { enum: one } = a;
  const { enum: other } = b;
  if (Array.isArray(one) && Array.isArray(other)) {
    merged.enum = one.filter((value) => {
      demandTime();
      return other.some((same) => sameJson(value, same));
    });
  }
}

function mergeProperties(merged: Record<string, unknown>, a: Schema, b: Schema): void {
  if (!isRecord(a.properties) || !isRecord(b.properties)) return;
  const properties = new Map(Object.entries(a.properties));
  for (const [name, schema] of Object.entries(b.properties)) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? schema : { allOf: [known, schema] });
  }
  merged.properties = Object.fromEntries(properties);
}
