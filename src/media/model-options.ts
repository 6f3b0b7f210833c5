/** Reads a model's JSON Schema: its options, the values each accepts, and --opt as a value. */
import { unescape } from 'node:querystring';
import { UsageError } from '../errors.js';
import {
  isJsonNumber,
  isRecord,
  keepDigits,
  listOf,
  numberOf,
  parseJson,
  recordOf,
  textOf,
  unescaped,
  valueText,
  type JsonRecord,
} from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';

/** What a value may be: its schema with all its parts, and the same for the items of a list. */
export interface Shape {
  readonly schemas: readonly JsonRecord[];
  readonly items: readonly JsonRecord[];
}

export interface KnownOption extends Shape {
  readonly name: string;
  readonly isRequired: boolean;
}

/** Schemas may refer to each other in any number of ways: each is looked at once, up to this many. */
const maxParts = 2000;

/** The options that requests of these schemas may have in `opts`, in the order of the schemas. */
export function optionsOf(roots: readonly JsonRecord[]): KnownOption[] {
  const byName = new Map<string, Shape[]>();
  const certain = roots.flatMap((root) => optionSchemas(root, true));
  const required = new Set(certain.flatMap((schema) => listOf(schema['required'])));
  for (const root of roots) {
    for (const schema of optionSchemas(root, false)) {
      for (const [name, property] of Object.entries(recordOf(schema['properties']))) {
        byName.set(name, [...(byName.get(name) ?? []), shapeOf(root, property)]);
      }
    }
  }
  return [...byName].map(([name, shapes]) => ({
    name,
    isRequired: required.has(name),
    schemas: shapes.flatMap(({ schemas }) => schemas),
    items: shapes.flatMap(({ items }) => items),
  }));
}

function optionSchemas(root: JsonRecord, isCertain: boolean): JsonRecord[] {
  const wholes = partsOf(root, [root], isCertain);
  const opts = wholes.map(({ properties }) => recordOf(properties)['opts']);
  return partsOf(root, opts, isCertain);
}

export function shapeOf(root: JsonRecord, schema: unknown): Shape {
  const schemas = partsOf(root, [schema]);
  const items = schemas.map((part) => part['items']);
  return { schemas, items: partsOf(root, items) };
}

export function needs(root: JsonRecord, field: string): boolean {
  return listOf(root['required']).includes(field);
}

/** Schemas with all their parts; when certain, without alternatives. */
function partsOf(root: JsonRecord, starts: readonly unknown[], isCertain = false): JsonRecord[] {
  const parts = new Set<JsonRecord>();
  const waiting = starts.toReversed();
  while (waiting.length > 0 && parts.size < maxParts) {
    const schema = waiting.pop();
    if (!isRecord(schema) || parts.has(schema)) continue;
    parts.add(schema);
    const choices = [
      ...['anyOf', 'oneOf'].flatMap((key) => listOf(schema[key])),
      schema['then'],
      schema['else'],
      ...Object.values(recordOf(schema['dependentSchemas'])),
    ];
    const next = [refTarget(root, schema), listOf(schema['allOf']), isCertain ? [] : choices];
    // Not as arguments: there may be more than a call can take.
    for (const part of next.flat().reverse()) waiting.push(part);
  }
  return [...parts];
}

/** Where `#/…` points; references to elsewhere are never fetched. */
function refTarget(root: JsonRecord, { $ref }: JsonRecord): unknown {
  const [, pointer] = /^#\/(.*)$/.exec(textOf($ref) ?? '') ?? [];
  return pointer?.split('/').reduce<unknown>((target, step) => {
    const name = unescaped(unescape(step));
    return Array.isArray(target) ? listOf(target)[Number(name)] : recordOf(target)[name];
  }, root);
}

/** The values that are allowed, when the schema lists them all. */
export function choicesOf(schemas: readonly JsonRecord[]): unknown[] {
  const lists = schemas.map((schema) =>
    'const' in schema ? [schema['const']] : listOf(schema['enum']),
  );
  return [...new Set(lists.flat())];
}

export function typesOf(schemas: readonly JsonRecord[]): ReadonlySet<string> {
  return new Set(schemas.flatMap(({ type }) => [type].flat().flatMap((one) => textOf(one) ?? [])));
}

const maxChoices = 24;

/** `1:1, 16:9 or 9:16`, `a whole number from 1 to 4`, `text`. */
export function typeWords(shape: Shape): string {
  const choices = choicesOf(shape.schemas);
  if (choices.length > 0) return choiceWords(choices);
  const types = [...typesOf(shape.schemas)].filter((type) => type !== 'null');
  const words = types.map((type) => wordsFor(type, shape));
  return words.length === 0 ? 'anything' : either([...new Set(words)]);
}

/** Values that are allowed, the first of them when there are many. */
export function choiceWords(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxChoices).map((choice) => plainText(valueText(choice), 80));
  const more = choices.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${String(more)} more` : either(shown);
}

/** `a, b or c` */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** One of a type, and several in a list; what is in a list of lists is not described. */
const namesOf: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['integer', ['a whole number', 'whole numbers']],
  ['number', ['a number', 'numbers']],
  ['string', ['text', 'texts']],
  ['boolean', ['true or false', 'values']],
  ['object', ['a JSON object', 'JSON objects']],
  ['array', ['a list', 'values']],
]);

function wordsFor(type: string, { schemas, items }: Shape): string {
  const [one] = namesOf.get(type) ?? [plainText(type, 40)];
  if (type === 'integer' || type === 'number') return one + boundWords(schemas);
  if (type === 'array') {
    const choices = choicesOf(items);
    const types = [...typesOf(items)].map((item) => namesOf.get(item)?.[1] ?? 'values');
    return `${one} of ${choices.length > 0 ? choiceWords(choices) : either(types) || 'values'}`;
  }
  const max = type === 'string' ? first(schemas, 'maxLength') : undefined;
  return max === undefined ? one : `${one} of at most ${String(max)} characters`;
}

/** `from 1 to 4`; empty without bounds. */
function boundWords(schemas: readonly JsonRecord[]): string {
  const min = first(schemas, 'minimum');
  const max = first(schemas, 'maximum');
  if (min === undefined) return max === undefined ? '' : ` of at most ${max}`;
  return max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

function first(schemas: readonly JsonRecord[], key: string): number | undefined {
  return schemas.map((schema) => numberOf(schema[key])).find((value) => value !== undefined);
}

/** The text of an option, or of its file, as the type that it asks for. @throws UsageError */
export function coerce(name: string, text: string, shape: Shape, isFile = false): unknown {
  const { schemas, items } = shape;
  const word = isFile ? text.trim() : text;
  const choice = choicesOf(schemas).find(
    (value) => valueText(value) === word || (isFile && JSON.stringify(value) === word),
  );
  if (choice !== undefined) return choice;
  const types = typesOf(schemas);
  if (isFile && (types.has('array') || types.has('object'))) return parsed(name, text, 'JSON');
  if (isFile && types.has('string')) return text;
  const looksLikeJson = isFile || /^(?:(?:true|false|null)$|[[{"])/.test(text);
  if (types.size === 0)
    return looksLikeJson ? parsed(name, text) : isJsonNumber(text) ? Number(text) : text;
  if (types.has('number') || types.has('integer')) {
    if (isJsonNumber(word)) return Number(word);
  }
  if (types.has('boolean') && /^(?:true|false)$/.test(word)) return word === 'true';
  if (types.has('null') && word === 'null') return null;
  if (types.has('array')) {
    if (text.startsWith('[')) return parsed(name, text, 'a JSON array');
    if (types.has('string') && !text.includes(',')) return text;
    const item = { schemas: items, items: [] };
    const words = text === '' ? [] : text.split(',').map((part) => part.trim());
    const values = words.map((part) => coerce(name, part, item));
    for (const [place, part] of words.entries()) keepDigits(values, String(place), part);
    return values;
  }
  if (types.has('object') && text.startsWith('{')) return parsed(name, text, 'a JSON object');
  if (types.has('object') && !types.has('string')) {
    const hint = `--opt ${name}='{"…": …}', or --opt ${name}=@file.json`;
    throw new UsageError(`${name} must be a JSON object`, { code: 'invalid_option', hint });
  }
  // A value of the wrong type is validated as text: the error names the right type.
  return word;
}

/** @param what it must be; without that, what is not JSON stays text. */
function parsed(name: string, text: string, what?: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    if (what === undefined) return text;
    const message = `${name} must be ${what}, but its value is not JSON`;
    throw new UsageError(message, { code: 'invalid_option', cause });
  }
}
