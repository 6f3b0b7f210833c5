/** A JSON Schema as it comes in a request: read with care, references only within itself. */
import { isRecord } from '../../../lib/json.js';

/** An object schema; the booleans are normalised to `{}` and `{not: {}}`. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema asks for more than the embedded models can fill in. */
export class SchemaTrouble extends Error {
  override readonly name = 'SchemaTrouble';
}

/** Reads any value as a schema. */
export function asSchema(value: unknown): Schema {
  if (value === true || value === undefined) return {};
  if (value === false) return { not: {} };
  if (isRecord(value)) return value;
  throw new SchemaTrouble('a schema must be an object or a boolean');
}

/** The schemas of a keyword that holds a list of them. */
export function schemaList(schema: Schema, keyword: string): Schema[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.map(asSchema) : [];
}

/** The schemas of a keyword that maps names to them. */
export function schemaMap(schema: Schema, keyword: string): [string, Schema][] {
  const map = schema[keyword];
  if (!isRecord(map)) return [];
  return Object.entries(map).map(([name, value]) => [name, asSchema(value)]);
}

/** A numeric keyword, or undefined. */
export function numberOf(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The names of a keyword that lists strings. */
export function namesOf(schema: Schema, keyword: string): string[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

/** The types a schema allows, or undefined when it does not say. */
export function typesOf(schema: Schema): string[] | undefined {
  if (typeof schema.type === 'string') return [schema.type];
  return Array.isArray(schema.type) ? namesOf(schema, 'type') : undefined;
}

/** Follows `#`, `#/$defs/name` or any other pointer within the root. */
export function resolveReference(root: Schema, reference: string): Schema {
  if (reference === '#') return root;
  if (reference.startsWith('#/')) {
    let found: unknown = root;
    for (const raw of reference.slice(2).split('/')) {
      const name = decodePointer(raw);
      if (Array.isArray(found)) found = found[Number(name)];
      else if (isRecord(found) && Object.hasOwn(found, name)) found = found[name];
      else found = undefined;
      if (found === undefined) break;
    }
    if (found !== undefined) return asSchema(found);
  }
  throw new SchemaTrouble(`$ref ${JSON.stringify(reference)} leads nowhere within the schema`);
}

function decodePointer(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // A lone percent sign stands for itself.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Whether two JSON values are the same. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  }
  if (isRecord(a) && isRecord(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
    );
  }
  return false;
}
