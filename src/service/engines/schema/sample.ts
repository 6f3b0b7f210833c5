/**
 * Makes up a value that fits a JSON Schema. Whatever is returned has been checked against the
 * schema; what cannot be made up is said, never guessed.
 */
import { isRecord, listOf } from '../../../lib/json.js';
import { fits } from './bounded.js';
import { flatten } from './flatten.js';
import { expression, matches } from './matches.js';
import { isFreeString, sampleNumber, sampleString } from './scalars.js';
import {
  asSchema,
  namesOf,
  numberOf,
  schemaList,
  schemaMap,
  SchemaTrouble,
  typesOf,
  type Schema,
} from './schema.js';

/** How deep values may nest, tried in turn: a schema that refers to itself ends soon. */
const depths = [6, 12, 24, 48] as const;
/** How many values are tried, in all. */
const mostTries = 20_000;
const mostItems = 1000;
/** Characters that least lengths may ask for, in all. */
const mostCharacters = 200_000;
/** How many ways through the alternatives of one schema are tried. */
const mostWays = 500;
/** Optional properties and items are made up only this far down. */
const optionalDepth = 2;

/**
 * A value that fits `schema`.
 * @param text stands in the first string that the schema leaves free
 * @throws SchemaTrouble when there is none, or none that can be found
 */
export function sample(schema: unknown, text?: string): unknown {
  const root = asSchema(schema);
  let trouble: unknown;
  for (const deepest of depths) {
    const sampler = new Sampler(root, deepest, text);
    try {
      return sampler.value(root, { depth: 0, name: 'text', nth: 0 });
    } catch (error) {
      if (!(error instanceof SchemaTrouble)) throw error;
      trouble = error;
      if (!sampler.wantedDepth) break;
    }
  }
  throw trouble;
}

/** Where in the value we are. */
interface Place {
  readonly depth: number;
  /** The property's name: what a string says when nothing better is known. */
  readonly name: string;
  /** Which of several different values is wanted, from 0. */
  readonly nth: number;
}

class Sampler {
  /** Whether more depth might have helped. */
  wantedDepth = false;
  readonly #root: Schema;
  readonly #deepest: number;
  #text: string | undefined;
  #tried = 0;
  #characters = 0;

  constructor(root: Schema, deepest: number, text: string | undefined) {
    this.#root = root;
    this.#deepest = deepest;
    this.#text = text;
  }

  value(schema: Schema, place: Place): unknown {
    if (place.depth > this.#deepest) {
      this.wantedDepth = true;
      throw new SchemaTrouble('the schema nests without end');
    }
    const text = this.#text;
    let trouble = new SchemaTrouble(`no value fits the schema of ${JSON.stringify(place.name)}`);
    let ways = 0;
    for (const flat of flatten(schema, this.#root)) {
      ways += 1;
      if (ways > mostWays) break;
      for (const make of this.#candidates(flat, place)) {
        this.#text = text;
        this.#tried += 1;
        if (this.#tried > mostTries) throw new SchemaTrouble('the schema has too many branches');
        try {
          const value = make();
          if (matches(value, schema, this.#root)) return value;
        } catch (error) {
          if (!(error instanceof SchemaTrouble)) throw error;
          trouble = error;
        }
      }
    }
    throw trouble;
  }

  /** Ways to make a value, the best first. */
  *#candidates(schema: Schema, place: Place): Generator<() => unknown> {
    if (Object.hasOwn(schema, 'const')) yield () => schema.const;
    const known = listOf(schema.enum);
    for (let i = 0; i < known.length; i += 1) yield () => known[(i + place.nth) % known.length];
    if (place.nth === 0) {
      for (const example of [schema.default, ...listOf(schema.examples)]) {
        if (example !== undefined) yield () => example;
      }
    }
    for (const type of orderedTypes(schema)) yield* this.#ofType(type, schema, place);
  }

  *#ofType(type: string, schema: Schema, place: Place): Generator<() => unknown> {
    switch (type) {
      case 'object':
        if (place.depth < optionalDepth) yield () => this.#object(schema, place, true);
        yield () => this.#object(schema, place, false);
        break;
      case 'array':
        if (place.depth < optionalDepth) yield () => this.#array(schema, place, 1);
        yield () => this.#array(schema, place, 0);
        break;
      case 'string':
        yield () => this.#string(schema, place);
        break;
      case 'number':
      case 'integer':
        yield () => sampleNumber(schema, type === 'integer', place.nth);
        break;
      case 'boolean':
        yield () => place.nth % 2 === 0;
        yield () => place.nth % 2 === 1;
        break;
      case 'null':
        yield () => null;
    }
  }

  #string(schema: Schema, place: Place): string {
    this.#characters += numberOf(schema, 'minLength') ?? 0;
    if (this.#characters > mostCharacters) {
      throw new SchemaTrouble('the strings of the schema are too long to make up');
    }
    return sampleString(schema, this.#wording(schema, place), place.nth);
  }

  #wording(schema: Schema, place: Place): string {
    if (this.#text === undefined || !isFreeString(schema)) return place.name;
    const text = this.#text;
    this.#text = undefined;
    return text;
  }

  #object(schema: Schema, place: Place, withOptional: boolean): unknown {
    const required = new Set(namesOf(schema, 'required'));
    const known = new Map(schemaMap(schema, 'properties'));
    const made = new Map<string, unknown>();
    const make = (name: string, part: Schema) =>
      made.set(name, this.value(part, { depth: place.depth + 1, name, nth: place.nth }));
    for (const [name, part] of known) {
      if (required.has(name)) make(name, part);
      else if (withOptional) attempt(() => make(name, part));
    }
    for (const name of required) {
      if (!made.has(name)) make(name, otherProperty(schema, name));
    }
    this.#fillUp(schema, known, made, make);
    return Object.fromEntries(made);
  }

  /** Adds what dependencies and a least number of properties ask for. */
  #fillUp(
    schema: Schema,
    known: ReadonlyMap<string, Schema>,
    made: ReadonlyMap<string, unknown>,
    make: (name: string, part: Schema) => void,
  ): void {
    const add = (name: string) => {
      if (!made.has(name)) make(name, known.get(name) ?? otherProperty(schema, name));
    };
    const needed = isRecord(schema.dependentRequired) ? schema.dependentRequired : {};
    for (const name of made.keys()) {
      if (Object.hasOwn(needed, name)) namesOf(needed, name).forEach(add);
    }
    const least = numberOf(schema, 'minProperties') ?? 0;
    if (least > mostItems) throw new SchemaTrouble(`${least} properties are too many to make up`);
    for (const name of known.keys()) {
      if (made.size < least) attempt(() => add(name));
    }
    for (let i = 1; made.size < least; i += 1) add(`property${i}`);
  }

  #array(schema: Schema, place: Place, wish: number): unknown {
    const contained = schema.contains === undefined ? 0 : (numberOf(schema, 'minContains') ?? 1);
    const prefix = schemaList(schema, 'prefixItems');
    const least = Math.max(numberOf(schema, 'minItems') ?? 0, contained, wish && prefix.length);
    const count = Math.min(Math.max(least, wish), numberOf(schema, 'maxItems') ?? Infinity);
    if (count > mostItems) throw new SchemaTrouble(`${count} items are too many to make up`);
    return Array.from({ length: count }, (_, i) => {
      const part = prefix[i] ?? asSchema(schema.items);
      const item = i < contained ? { allOf: [part, asSchema(schema.contains)] } : part;
      const nth = schema.uniqueItems === true ? i : place.nth;
      return this.value(item, { depth: place.depth + 1, name: place.name, nth });
    });
  }
}

/** What a property must be that `properties` does not name. */
function otherProperty(schema: Schema, name: string): Schema {
  for (const [pattern, part] of schemaMap(schema, 'patternProperties')) {
    if (fits(expression(pattern), name)) return part;
  }
  return asSchema(schema.additionalProperties);
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SchemaTrouble)) throw error;
  }
}

/** Null only when nothing else will do: an answer should say something. */
function orderedTypes(schema: Schema): string[] {
  const types = typesOf(schema) ?? guessTypes(schema);
  return [...types.filter((type) => type !== 'null'), ...types.filter((type) => type === 'null')];
}

const tellTale: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function guessTypes(schema: Schema): string[] {
  const told = tellTale
    .filter(([, words]) => words.some((word) => schema[word] !== undefined))
    .map(([type]) => type);
  return [...told, 'string', 'number', 'object', 'array', 'boolean', 'null'];
}
