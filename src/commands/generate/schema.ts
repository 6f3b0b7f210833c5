/**
 * Reads a model's JSON Schema: which options there are, what each may hold, in words and for the
 * text of `--opt NAME=TEXT`. What comes from the service is made fit for one line.
 */
import { UsageError } from '../../errors.js';
import {
  exactNumber,
  isRecord,
  listOf,
  numberOf,
  recordOf,
  textOf,
  type JsonRecord,
} from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';

export interface KnownOption {
  readonly name: string;
  /** Every schema that any part of the whole gives for it. */
  readonly schemas: readonly JsonRecord[];
  readonly isRequired: boolean;
}

/**
 * Schemas come from the service, and may refer to each other in any number of ways: each is looked
 * at once, and no more of them than this.
 */
const mostParts = 2000;
/** The same for what one option may hold. */
const mostOfOne = 100;

/** The options of a request: what `opts` may hold, in the order of the schema. */
export function optionsOf(root: JsonRecord): KnownOption[] {
  const found = new Map<string, { schemas: JsonRecord[]; isRequired: boolean }>();
  const wholes = branches(root, [{ schema: root, isCertain: true }], mostParts);
  const parts = wholes.flatMap(({ schema, isCertain }) => {
    const { opts } = recordOf(schema['properties']);
    return isRecord(opts) ? [{ schema: opts, isCertain }] : [];
  });
  for (const { schema, isCertain } of branches(root, parts, mostParts)) {
    const required = new Set(listOf(schema['required']));
    for (const [name, property] of Object.entries(recordOf(schema['properties']))) {
      const option = found.get(name) ?? { schemas: [], isRequired: false };
      if (isRecord(property)) option.schemas.push(...resolved(root, property));
      option.isRequired ||= isCertain && required.has(name);
      found.set(name, option);
    }
  }
  return [...found].map(([name, option]) => ({ name, ...option }));
}

/** Whether the request has to have a field. */
export function needs(root: JsonRecord, field: string): boolean {
  return listOf(root['required']).includes(field);
}

interface Part {
  readonly schema: JsonRecord;
  /** It holds whatever the request says. */
  readonly isCertain: boolean;
}

/** The schemas and all that they are put together from, in the order in which they stand. */
function branches(root: JsonRecord, starts: readonly Part[], most: number): Part[] {
  const found: Part[] = [];
  const seen = new Set<JsonRecord>();
  const certain = new Set<JsonRecord>();
  const waiting = starts.toReversed();
  for (let part = waiting.pop(); part && found.length < most; part = waiting.pop()) {
    const { schema, isCertain } = part;
    // What was met as a choice may turn out to hold whatever is chosen.
    if (certain.has(schema) || (seen.has(schema) && !isCertain)) continue;
    seen.add(schema);
    if (isCertain) certain.add(schema);
    found.push(part);
    for (const next of below(root, part).reverse()) waiting.push(next);
  }
  return found;
}

/** What a schema is put together from, one step down. */
function below(root: JsonRecord, { schema, isCertain }: Part): Part[] {
  const sure = [refTarget(root, schema), ...listOf(schema['allOf'])];
  const choices = [
    ...['anyOf', 'oneOf'].flatMap((key) => listOf(schema[key])),
    ...['then', 'else'].map((key) => schema[key]),
    ...Object.values(recordOf(schema['dependentSchemas'])),
  ];
  return [
    ...sure.flatMap((inner) => (isRecord(inner) ? [{ schema: inner, isCertain }] : [])),
    ...choices.flatMap((inner) => (isRecord(inner) ? [{ schema: inner, isCertain: false }] : [])),
  ];
}

/** The schemas of a value: itself, what it refers to, and its alternatives. */
export function resolved(root: JsonRecord, schema: JsonRecord): JsonRecord[] {
  return branches(root, [{ schema, isCertain: true }], mostOfOne).map((part) => part.schema);
}

/** Where `#/…` points; references to elsewhere are never fetched. */
function refTarget(root: JsonRecord, schema: JsonRecord): JsonRecord | undefined {
  const reference = textOf(schema['$ref']);
  if (!reference?.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const step of reference.slice(2).split('/').map(unescaped)) {
    target = Array.isArray(target) ? listOf(target)[Number(step)] : recordOf(target)[step];
  }
  return isRecord(target) ? target : undefined;
}

function unescaped(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The values that are allowed, when the schema lists them all. */
export function choicesOf(schemas: readonly JsonRecord[]): unknown[] {
  const lists = schemas.flatMap((schema) => {
    if ('const' in schema) return [[schema['const']]];
    return Array.isArray(schema['enum']) ? [listOf(schema['enum'])] : [];
  });
  return [...new Set(lists.flat())];
}

/** The types that are allowed, in the words of JSON Schema. */
export function typesOf(schemas: readonly JsonRecord[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap(({ type }) =>
      (Array.isArray(type) ? type : [type]).flatMap((one) => textOf(one) ?? []),
    ),
  );
}

function itemsOf(schemas: readonly JsonRecord[], root: JsonRecord): JsonRecord[] {
  return schemas.flatMap(({ items }) => (isRecord(items) ? resolved(root, items) : []));
}

/** How a value is written on a command line. */
export function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const mostChoices = 24;

/** `1:1, 16:9 or 9:16`, `a whole number from 1 to 4`, `text`. */
export function typeWords({ schemas }: Pick<KnownOption, 'schemas'>, root: JsonRecord): string {
  const choices = choicesOf(schemas);
  if (choices.length > 0) return choiceWords(choices);
  const types = [...typesOf(schemas)].filter((type) => type !== 'null');
  const words = types.map((type) => wordsOf[type]?.(schemas, root) ?? plainText(type, 40));
  return words.length === 0 ? 'anything' : either([...new Set(words)]);
}

/** Values that are allowed, the first of them when there are many. */
export function choiceWords(choices: readonly unknown[]): string {
  const shown = choices.slice(0, mostChoices).map((choice) => plainText(plain(choice), 80));
  const more = choices.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${String(more)} more` : either(shown);
}

/** `a, b or c` */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** What holds when the option is not given, if the schema says so. */
export function defaultWords({ schemas }: Pick<KnownOption, 'schemas'>): string | undefined {
  const given = schemas.find((schema) => schema['default'] !== undefined);
  return given && plainText(plain(given['default']), 80);
}

/** `from 1 to 4`; empty without bounds. */
function boundWords(schemas: readonly JsonRecord[]): string {
  const least = first(schemas, 'minimum');
  const most = first(schemas, 'maximum');
  if (least !== undefined && most !== undefined) return ` from ${String(least)} to ${String(most)}`;
  if (least !== undefined) return ` of at least ${String(least)}`;
  return most === undefined ? '' : ` of at most ${String(most)}`;
}

type Words = (schemas: readonly JsonRecord[], root: JsonRecord) => string;

const wordsOf: Readonly<Record<string, Words>> = {
  integer: (schemas) => `a whole number${boundWords(schemas)}`,
  number: (schemas) => `a number${boundWords(schemas)}`,
  boolean: () => 'true or false',
  string: (schemas) => {
    const most = first(schemas, 'maxLength');
    return most === undefined ? 'text' : `text of at most ${String(most)} characters`;
  },
  array: (schemas, root) => {
    const items = itemsOf(schemas, root);
    const choices = choicesOf(items);
    // Items are not described further: they may be lists of themselves.
    const types = [...typesOf(items)].map((type) => plural[type] ?? 'values');
    return `a list of ${choices.length > 0 ? choiceWords(choices) : either(types) || 'values'}`;
  },
  object: () => 'a JSON object',
};

const plural: Readonly<Record<string, string>> = {
  string: 'texts',
  integer: 'whole numbers',
  number: 'numbers',
  object: 'JSON objects',
};

function first(schemas: readonly JsonRecord[], key: string): number | undefined {
  return schemas.map((schema) => numberOf(schema[key])).find((value) => value !== undefined);
}

/**
 * The text of an option as the type that its schemas ask for.
 * @param schemas what is known of the option; none: numbers, true, false, null and JSON are taken
 * as such, anything else is text.
 * @param root the whole schema, for what they refer to.
 * @throws UsageError when the text cannot be of that type.
 */
export function coerce(
  name: string,
  text: string,
  schemas: readonly JsonRecord[],
  root: JsonRecord,
): unknown {
  const choice = choicesOf(schemas).find((value) => plain(value) === text);
  if (choice !== undefined) return choice;
  const types = typesOf(schemas);
  if (types.size === 0) return guessed(text);
  if (types.has('number') || types.has('integer')) {
    const number = exactNumber(text);
    if (number !== undefined) return number;
  }
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('null') && text === 'null') return null;
  if (types.has('array')) {
    if (text.startsWith('[')) return parsed(name, text, 'a JSON array');
    if (types.has('string') && !text.includes(',')) return text;
    const items = itemsOf(schemas, root);
    return text === '' ? [] : text.split(',').map((part) => coerce(name, part.trim(), items, root));
  }
  if (types.has('object') && text.startsWith('{')) return parsed(name, text, 'a JSON object');
  if (types.has('object') && !types.has('string')) {
    throw new UsageError(`${name} must be a JSON object`, {
      code: 'invalid_option',
      hint: `--opt ${name}='{"…": …}', or --opt ${name}=@file.json`,
    });
  }
  // What is of the wrong type goes to the schema as text: its sentence names the right one.
  return text;
}

/**
 * The same for the content of a file: text where the option is text, JSON where it is not; one of
 * the allowed values as either, whatever white space is around it.
 * @throws UsageError when it is neither.
 */
export function coerceContent(
  name: string,
  content: string,
  schemas: readonly JsonRecord[],
): unknown {
  const word = content.trim();
  const choice = choicesOf(schemas).find((value) =>
    [plain(value), JSON.stringify(value)].includes(word),
  );
  if (choice !== undefined) return choice;
  const types = typesOf(schemas);
  if (types.size === 0) return jsonOr(content);
  if (types.has('array') || types.has('object')) return parsed(name, content, 'JSON');
  return types.has('string') ? content : coerce(name, word, schemas, {});
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function guessed(text: string): unknown {
  if (/^(?:true|false|null)$/.test(text)) return JSON.parse(text);
  if (/^[[{"]/.test(text)) return jsonOr(text);
  return exactNumber(text) ?? text;
}

function parsed(name: string, text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${name} must be ${what}, and what was given is no JSON`, {
      code: 'invalid_option',
      cause,
    });
  }
}
