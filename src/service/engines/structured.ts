/** Makes up JSON that fits a schema of the caller: json-schema-faker proposes, ajv decides. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { generateSync, type GenerateOptions } from 'json-schema-faker';
import { isRecord, listOf, numberOf, type JsonRecord } from '../../lib/json.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { cutAt } from './plan.js';

/** The schema asks for more than the embedded models can fill in. */
export class SchemaTrouble extends Error {
  override readonly name = 'SchemaTrouble';
  constructor(
    message: string,
    /** Which of the schemas. */
    readonly index: number,
  ) {
    super(message);
  }
}

/** A schema comes from the caller, and so does the time it takes. */
const limitMs = 2000;
/** Characters, items and properties that the least lengths of a schema may ask for, in all. */
const mostAskedFor = 200_000;
/** Each chooses other branches of a schema. */
const seeds = 8;
/** How deep values nest: first as people like them, then as deep as a schema may ask for. */
const depths = [5, 50] as const;

/**
 * JSON of a value for each schema; the same schemas give the same JSON.
 * @param text is the answer itself where it is JSON that fits; else it stands in the first string
 * that a schema leaves free
 * @throws SchemaTrouble when there is none, or none that is found in time
 */
export function structured(schemas: readonly unknown[], text?: string): string[] {
  let index = 0;
  try {
    return withinTime(limitMs, () =>
      schemas.map((schema, i) => {
        index = i;
        return structuredOne(schema, text);
      }),
    );
  } catch (error) {
    const why = error instanceof TimeLimitError ? 'that would take too long' : messageOf(error);
    throw new SchemaTrouble(why, index);
  }
}

function structuredOne(given: unknown, text: string | undefined): string {
  const asked = given ?? {};
  if (!isRecord(asked) && typeof asked !== 'boolean') {
    throw new Error('a schema must be an object or a boolean');
  }
  // All drafts are read as one.
  const schema = typeof asked === 'boolean' ? asked : { ...asked, $schema: undefined };
  const ajv = new Ajv2020({ strict: false, logger: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  if (text !== undefined && isFitting(validate, text)) return text;
  if (askedFor(schema) > mostAskedFor) throw new Error('it asks for too much');
  for (const json of proposals(schema, text)) {
    if (json !== undefined && isFitting(validate, json)) return json;
  }
  throw new Error('no value was found that fits it');
}

/** Such as what ajv says of a schema that is none. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isFitting(validate: ValidateFunction, json: string): boolean {
  try {
    return validate(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The least size of a value, as far as the schema says it without its references. */
function askedFor(schema: unknown): number {
  if (!isRecord(schema)) return 1;
  const { properties, items, minItems, minLength } = schema;
  const parts = isRecord(properties) ? Object.values(properties) : [];
  return (
    parts.reduce<number>((sum, part) => sum + askedFor(part), 1) +
    (numberOf(minLength) ?? 0) +
    (numberOf(minItems) ?? 0) * askedFor(items)
  );
}

/** Values that may fit, as JSON: those that say most come first. */
function* proposals(schema: JsonRecord | boolean, text?: string): Generator<string | undefined> {
  const narrow = narrowed(schema === true ? {} : schema);
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const maxDepth of depths) {
      for (const one of [narrow, schema]) {
        const wording = seed <= seeds / 2 ? plainWords(text, seed === 1) : undefined;
        const options = { seed, maxDepth, maxDefaultItems: 1, outputTransform: wording };
        if (maxDepth === depths[0]) yield proposal(one, { ...options, alwaysFakeOptionals: true });
        yield proposal(one, { ...options, optionalsProbability: 0 });
      }
    }
  }
}

function proposal(schema: JsonRecord | boolean, options: GenerateOptions): string | undefined {
  const taken = options.seed === 1;
  try {
    const samples = { useDefaultValue: taken, useExamplesValue: taken };
    return JSON.stringify(generateSync(schema, { ...samples, ...options }));
  } catch {
    // It says that nothing fits, or knows no way out of a schema that refers to itself.
    return undefined;
  }
}

/** Puts the text into the first free string; others say the name of their property if wanted. */
function plainWords(text: string | undefined, named: boolean): GenerateOptions['outputTransform'] {
  let left = text;
  return (value, schema, path) => {
    if (!isRecord(schema) || isGiven(schema)) return value;
    if (named && typeof value === 'number') return plainNumber(schema);
    if (typeof value !== 'string' || (left === undefined && !named)) return value;
    const words = left ?? /([^/\d][^/]*)(?:\/\d+)*$/.exec(path)?.[1] ?? 'text';
    left = undefined;
    return cutAt(words, numberOf(schema.maxLength) ?? Infinity).padEnd(
      numberOf(schema.minLength) ?? 0,
      'x',
    );
  };
}

function isGiven(schema: JsonRecord): boolean {
  return ['const', 'enum', 'default', 'examples', 'pattern', 'format', 'multipleOf'].some(
    (word) => schema[word] !== undefined,
  );
}

/** Zero, or the bound that is nearest to it. */
function plainNumber({ minimum, maximum }: JsonRecord): number {
  return Math.max(Math.min(0, numberOf(maximum) ?? 0), numberOf(minimum) ?? 0);
}

/** The schema with the first of its alternatives alone, and null only where nothing else is left. */
function narrowed(schema: unknown): JsonRecord | boolean {
  if (!isRecord(schema)) return schema !== false;
  if (Object.values(schema).every((value) => value === undefined)) return { type: 'string' };
  const parts = (value: unknown) =>
    Object.fromEntries(
      Object.entries(isRecord(value) ? value : {}).map(([name, part]) => [name, narrowed(part)]),
    );
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      switch (word) {
        case 'properties':
        case '$defs':
        case 'definitions':
          return [word, parts(value)];
        case 'items':
          return [word, narrowed(value)];
        case 'allOf':
          return [word, listOf(value).map(narrowed)];
        case 'anyOf':
        case 'oneOf':
          return [
            word,
            first(value, (part) => isRecord(part) && part.type === 'null').map(narrowed),
          ];
        case 'type':
        case 'enum':
          return [
            word,
            Array.isArray(value) ? first(value, (one) => one === null || one === 'null') : value,
          ];
        default:
          return [word, value];
      }
    }),
  );
}

function first(list: unknown, isNothing: (one: unknown) => boolean): unknown[] {
  const all = listOf(list);
  const found = all.find((one) => !isNothing(one));
  return found === undefined ? all.slice(0, 1) : [found];
}
