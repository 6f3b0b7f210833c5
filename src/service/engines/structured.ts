/** Generates JSON that matches the caller's schema: json-schema-faker proposes, ajv validates. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { generateSync, type GenerateOptions } from 'json-schema-faker';
import { isRecord, listOf, numberOf, recordOf, type JsonRecord } from '../../lib/json.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { badRequest, messageOf, ServiceFailure } from '../failure.js';
import { cutAt } from './plan.js';

/** The caller's schema determines how long it takes. */
const limitMs = 1000;
const settings = { strict: false, logger: false } as const;
/** The total of the minimum lengths and counts that a schema may require. */
const maxRequiredSize = 200_000;
const seeds = 8;

export interface FormRequest {
  readonly schema: unknown;
  /** A name for the value, and the field that a refusal names. */
  readonly what: string;
  readonly param: string;
}

/**
 * JSON of a value for each schema, always the same; `text` is put into the first free string.
 * @throws ServiceFailure 400 when a schema asks for more than can be filled in, 503 when it timed out
 */
export function structured(requests: readonly FormRequest[], text?: string): string[] {
  let current = requests[0];
  schemaChecker ??= makeSchemaChecker();
  const checker = schemaChecker;
  try {
    return withinTime(limitMs, () =>
      requests.map((one) => {
        current = one;
        return structuredOne(one.schema, text, checker);
      }),
    );
  } catch (error) {
    // Otherwise thrown below, or by ajv for an invalid schema.
    const message = `local models cannot generate ${current?.what}`;
    if (!(error instanceof TimeLimitError)) {
      throw badRequest(`${message}: ${messageOf(error)}`, current?.param);
    }
    const details = { param: current?.param };
    throw new ServiceFailure(503, 'timed_out', `${message}: it timed out`, details);
  }
}

let schemaChecker: Ajv2020 | undefined;

/** Compiling the schema of all schemas takes 30 ms, and must not be interrupted. */
function makeSchemaChecker(): Ajv2020 {
  const ajv = new Ajv2020(settings);
  formats.default(ajv);
  void ajv.validateSchema({});
  return ajv;
}

function structuredOne(input: unknown, text: string | undefined, checker: Ajv2020): string {
  const schema: unknown = JSON.parse(escape(JSON.stringify(input ?? {})));
  if (!isRecord(schema) && typeof schema !== 'boolean') {
    throw new Error('a schema must be an object or a boolean');
  }
  const ajv = new Ajv2020({ ...settings, validateSchema: false });
  formats.default(ajv);
  // All drafts are read as 2020-12.
  const rules = isRecord(schema) ? { ...schema, $schema: undefined } : schema;
  void checker.validateSchema(rules, true);
  const validate = ajv.compile(rules);
  if (text !== undefined && isFitting(validate, escape(text))) return text;
  if (requiredSize(schema) > maxRequiredSize) throw new Error('it requires too large a value');
  for (const json of proposals(schema, text)) {
    if (isFitting(validate, json)) return json.replaceAll(escaped, special);
  }
  throw new Error('no valid value was found');
}

/** A property with this name would become a prototype. */
const [special, escaped] = ['"__proto__"', '"__proto__ "'];

function escape(json: string): string {
  return json.replaceAll(special, escaped);
}

function isFitting(validate: ValidateFunction, json: string): boolean {
  try {
    return validate(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function requiredSize(schema: unknown): number {
  if (!isRecord(schema)) return 1;
  const { properties, items, minItems, minLength } = schema;
  const own = (numberOf(minLength) ?? 0) + (numberOf(minItems) ?? 0) * requiredSize(items);
  const parts = Object.values(recordOf(properties));
  return parts.reduce<number>((sum, part) => sum + requiredSize(part), 1 + own);
}

/** Candidate values as JSON, the most complete first. */
function* proposals(schema: JsonRecord | boolean, text?: string): Generator<string> {
  const narrow = narrowed(schema === true ? {} : schema);
  // Readable values first, then deeper ones.
  const [shallow, deep] = [5, 50];
  const tries = [
    [shallow, narrow, true],
    [shallow, narrow, false],
    [shallow, schema, true],
    [shallow, schema, false],
    [deep, narrow, false],
    [deep, schema, false],
  ] as const;
  for (let seed = 1; seed <= seeds; seed += 1) {
    // Later candidates use fewer of the constraints that may conflict.
    const isFirst = seed === 1;
    const samples = { useDefaultValue: isFirst, useExamplesValue: isFirst };
    const fixed = { seed, optionalsProbability: 0, maxDefaultItems: 1, ...samples };
    for (const [maxDepth, one, alwaysFakeOptionals] of tries) {
      const outputTransform = seed <= seeds / 2 ? plainWords(text, isFirst) : undefined;
      const options = { maxDepth, alwaysFakeOptionals, outputTransform };
      try {
        yield JSON.stringify(generateSync(one, { ...options, ...fixed }));
      } catch {
        // No value matches, or the schema refers to itself without end.
      }
    }
  }
}

/** Puts the text into the first free string; if `named`, others hold their property's name. */
function plainWords(
  text: string | undefined,
  fillsOthers: boolean,
): GenerateOptions['outputTransform'] {
  let left = text;
  return (value, schema, path) => {
    if (!isRecord(schema) || isGiven(schema)) return value;
    if (fillsOthers && typeof value === 'number') {
      // Zero, or the nearest bound.
      const { minimum, maximum } = schema;
      return Math.max(Math.min(0, numberOf(maximum) ?? 0), numberOf(minimum) ?? 0);
    }
    if (typeof value !== 'string' || (left === undefined && !fillsOthers)) return value;
    const words = left ?? /([^/\d][^/]*)(?:\/\d+)*$/.exec(path)?.[1] ?? 'text';
    left = undefined;
    const fitting = cutAt(words, numberOf(schema.maxLength) ?? Infinity);
    return fitting.padEnd(numberOf(schema.minLength) ?? 0, 'x');
  };
}

function isGiven(schema: JsonRecord): boolean {
  return ['const', 'enum', 'default', 'examples', 'pattern', 'format', 'multipleOf'].some(
    (word) => schema[word] !== undefined,
  );
}

/** The schema with only the first of its alternatives, and null only as the last resort. */
function narrowed(schema: unknown): JsonRecord | boolean {
  if (!isRecord(schema)) return schema !== false;
  if (Object.keys(schema).length === 0) return { type: 'string' };
  return mapped(schema, (value, word) => {
    if (['properties', '$defs', 'definitions'].includes(word)) return mapped(value, narrowed);
    if (word === 'items') return narrowed(value);
    if (word === 'allOf') return listOf(value).map(narrowed);
    if (word === 'anyOf' || word === 'oneOf') return firstOf(value).map(narrowed);
    return word === 'enum' || (Array.isArray(value) && word === 'type') ? firstOf(value) : value;
  });
}

function mapped(record: unknown, change: (value: unknown, name: string) => unknown): JsonRecord {
  const entries = Object.entries(recordOf(record));
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value, name)]));
}

function firstOf(list: unknown): readonly unknown[] {
  const all = listOf(list);
  const isNull = (one: unknown) => one === null || one === 'null' || recordOf(one).type === 'null';
  const rest = all.filter((one) => !isNull(one));
  return (rest.length > 0 ? rest : all).slice(0, 1);
}
