/** Turns the text of `--opt NAME=TEXT` into the type that the model's schema asks for. */
import { UsageError } from '../../errors.js';
import { exactNumber, isRecord, type JsonRecord } from '../../lib/json.js';
import { choicesOf, resolved, typesOf } from './schema.js';

/**
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
  if (isNumeric(types) && exactNumber(text) !== undefined) return exactNumber(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('null') && text === 'null') return null;
  if (types.has('array')) return list(name, text, schemas, root);
  if (types.has('object')) return object(name, text, types);
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

/** How a value is written on a command line. */
export function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isNumeric(types: ReadonlySet<string>): boolean {
  return types.has('number') || types.has('integer');
}

function guessed(text: string): unknown {
  if (/^(?:true|false|null)$/.test(text)) return JSON.parse(text);
  if (/^[[{"]/.test(text)) return jsonOr(text);
  return exactNumber(text) ?? text;
}

/** JSON, or values separated by commas. */
function list(
  name: string,
  text: string,
  schemas: readonly JsonRecord[],
  root: JsonRecord,
): unknown {
  if (text.startsWith('[')) return parsed(name, text, 'a JSON array');
  const items = schemas.flatMap(({ items: item }) => (isRecord(item) ? resolved(root, item) : []));
  if (typesOf(schemas).has('string') && !text.includes(',')) return text;
  return text === '' ? [] : text.split(',').map((part) => coerce(name, part.trim(), items, root));
}

function object(name: string, text: string, types: ReadonlySet<string>): unknown {
  if (text.startsWith('{')) return parsed(name, text, 'a JSON object');
  if (types.has('string')) return text;
  throw new UsageError(`${name} must be a JSON object`, {
    code: 'invalid_option',
    hint: `--opt ${name}='{"…": …}', or --opt ${name}=@file.json`,
  });
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
