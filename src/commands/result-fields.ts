/** What is read from the schemas of results.ts. */
import * as z from 'zod/mini';
import { results } from './results.js';

type JsonSchema = z.core.JSONSchema.JSONSchema;
type Inner = boolean | JsonSchema | readonly (boolean | JsonSchema)[] | undefined;

/** Undefined for a command that prints no JSON of its own. */
function schemaOf(path: string): JsonSchema | undefined {
  const result = results[path];
  return result && z.toJSONSchema(result, { io: 'output', unrepresentable: 'any' });
}

/**
 * The fields of a command's JSON, as `files[].path` and `string`; a type with ? may be missing or null. Undefined
 * where they are not known.
 */
export function fieldsOf(path: string): Record<string, string> | undefined {
  const schema = schemaOf(path);
  if (schema === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const [name, type] of fieldsIn(schema)) {
    // An array of several has the fields of the one.
    const isKnown = fields.has(name) || fields.has(name.replace('[].', ''));
    if (name !== '' && !isKnown) fields.set(name, type);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

/** Each field below `at`. What stands in an object or a list of anything is not known. */
function* fieldsIn(schema: JsonSchema, at = '', mark = ''): Generator<[string, string]> {
  const { allOf = [], anyOf = [], items, properties = {}, required = [], type = 'any' } = schema;
  const forms = anyOf.filter((form) => form.type !== 'null');
  const isNullable = forms.length < anyOf.length;
  for (const form of [...forms, ...allOf]) yield* fieldsIn(form, at, isNullable ? '?' : mark);
  const inner = innerOf(schema.additionalProperties);
  const below = [
    ...Object.entries(properties).map(([name, property]) => {
      const isSure = required.includes(name);
      return [at === '' ? name : `${at}.${name}`, innerOf(property), isSure ? mark : '?'] as const;
    }),
    [`${at}.*`, inner?.properties && inner, mark] as const,
    [`${at}[]`, innerOf(items), mark] as const,
  ];
  for (const [name, one, its] of below) if (one) yield* fieldsIn(one, name, its);
  const isEnd = below.every(([, one]) => !one) && anyOf.length + allOf.length === 0;
  if (!isEnd) return;
  const words = [type].flat().filter((word) => word !== 'null');
  yield [at, words.join(' or ') + ([type].flat().includes('null') ? '?' : mark)];
}

/** Not a schema that allows all or nothing, nor several. */
function innerOf(schema: Inner): JsonSchema | undefined {
  return typeof schema === 'object' && !('length' in schema) ? schema : undefined;
}
