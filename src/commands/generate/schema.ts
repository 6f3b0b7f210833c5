/** Reads a model's JSON Schema: which options there are, and what each may hold. */
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';

export interface KnownOption {
  readonly name: string;
  /** Every schema that any part of the whole gives for it. */
  readonly schemas: readonly JsonRecord[];
  readonly isRequired: boolean;
}

/** A schema leads no deeper than this, whatever it refers to. */
const deepest = 12;

/** The options of a request: what `opts` may hold, in the order of the schema. */
export function optionsOf(root: JsonRecord): KnownOption[] {
  const found = new Map<string, { schemas: JsonRecord[]; isRequired: boolean }>();
  for (const { schema, isCertain } of parts(root, root, 'opts')) {
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

/** Whether options that the schema does not name are taken, too. */
export function isOpen(root: JsonRecord): boolean {
  return parts(root, root, 'opts').every(
    ({ schema }) =>
      schema['additionalProperties'] !== false && schema['unevaluatedProperties'] !== false,
  );
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

/** The schemas that speak of a property of the whole. */
function parts(root: JsonRecord, schema: JsonRecord, property: string): Part[] {
  return branches(root, schema, true, 0).flatMap(({ schema: branch, isCertain }) => {
    const inner = recordOf(branch['properties'])[property];
    return isRecord(inner) ? branches(root, inner, isCertain, 0) : [];
  });
}

/** The schema and all that it is put together from. */
function branches(root: JsonRecord, schema: JsonRecord, isCertain: boolean, depth: number): Part[] {
  if (depth > deepest) return [];
  const below = (inner: unknown, certain: boolean) =>
    isRecord(inner) ? branches(root, inner, certain, depth + 1) : [];
  const target = refTarget(root, schema);
  return [
    { schema, isCertain },
    ...(target ? branches(root, target, isCertain, depth + 1) : []),
    ...listOf(schema['allOf']).flatMap((inner) => below(inner, isCertain)),
    ...['anyOf', 'oneOf'].flatMap((key) =>
      listOf(schema[key]).flatMap((inner) => below(inner, false)),
    ),
    ...['then', 'else'].flatMap((key) => below(schema[key], false)),
    ...Object.values(recordOf(schema['dependentSchemas'])).flatMap((inner) => below(inner, false)),
  ];
}

/** The schemas of a value: itself, what it refers to, and its alternatives. */
export function resolved(root: JsonRecord, schema: JsonRecord): JsonRecord[] {
  return branches(root, schema, true, 0).map((part) => part.schema);
}

/** Where `#/…` points; references to elsewhere are never fetched. */
function refTarget(root: JsonRecord, schema: JsonRecord): JsonRecord | undefined {
  const reference = textOf(schema['$ref']);
  if (!reference?.startsWith('#/')) return undefined;
  const steps = reference.slice(2).split('/').map(unescaped);
  const target = steps.reduce<unknown>(
    (value, step) => (Array.isArray(value) ? listOf(value)[Number(step)] : recordOf(value)[step]),
    root,
  );
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
