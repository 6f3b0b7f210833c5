/** What an option may hold, in a few words. What comes from the service is made fit for one line. */
import { numberOf, isRecord, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { plain } from './coerce.js';
import { choicesOf, resolved, typesOf, type KnownOption } from './schema.js';

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

/** What holds when the option is not given; undefined when the schema does not say. */
export function defaultWords({ schemas }: Pick<KnownOption, 'schemas'>): string | undefined {
  const given = schemas.find((schema) => schema['default'] !== undefined);
  return given && plainText(plain(given['default']), 80);
}

/** `from 1 to 4`; empty without bounds. */
export function boundWords(schemas: readonly JsonRecord[]): string {
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
    const items = schemas.flatMap(({ items: item }) =>
      isRecord(item) ? resolved(root, item) : [],
    );
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
