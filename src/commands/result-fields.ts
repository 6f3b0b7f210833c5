/** The fields of a command's JSON, from its schema in results.ts. */
import * as z from 'zod/mini';
import { results } from './results.js';

/**
 * Fields as `files[].path` and `string`; a type with ? may be missing or null. Undefined where they are not known, and
 * for a command that prints no JSON of its own.
 */
export function fieldsOf(path: string): Record<string, string> | undefined {
  const schema = results[path];
  if (schema === undefined) return undefined;
  const fields = new Map<string, string>();
  for (const [name, type] of fieldsIn(schema)) {
    // An array of several has the fields of the one.
    const isKnown = fields.has(name) || fields.has(name.replace('[].', ''));
    if (name !== '' && !isKnown) fields.set(name, type);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

/** Each field below `at`. A JSON Schema would say the same, with 20 KB of code that each start reads. */
function* fieldsIn(schema: z.core.SomeType, at = '', mark = ''): Generator<[string, string]> {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable)
    return yield* fieldsIn(schema.def.innerType, at, '?');
  const parts = innerOf(schema, at);
  for (const [name, inner] of parts) yield* fieldsIn(inner, name, mark);
  const { type } = schema._zod.def;
  if (parts.length === 0) yield [at, (words[type] ?? type) + mark];
}

const words: Readonly<Record<string, string>> = { unknown: 'any', enum: 'string' };

/** What a schema is made of, each with its name. */
function innerOf(schema: z.core.SomeType, at: string): (readonly [string, z.core.SomeType])[] {
  if (schema instanceof z.ZodMiniUnion) return schema.def.options.map((form) => [at, form]);
  if (schema instanceof z.ZodMiniIntersection)
    return [schema.def.left, schema.def.right].map((form) => [at, form]);
  if (schema instanceof z.ZodMiniArray) return [[`${at}[]`, schema.def.element]];
  if (schema instanceof z.ZodMiniRecord) return [[`${at}.*`, schema.def.valueType]];
  if (!(schema instanceof z.ZodMiniObject)) return [];
  const start = at === '' ? '' : `${at}.`;
  return Object.entries(schema.def.shape).map(([name, inner]) => [start + name, inner]);
}
