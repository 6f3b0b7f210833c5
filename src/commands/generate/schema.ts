/** Reads a model's JSON Schema: which options there are, and what each may hold. */
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';

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
  const inner = branches(root, [{ schema, isCertain: true }], mostParts).flatMap(
    ({ schema: branch, isCertain }) => {
      const value = recordOf(branch['properties'])[property];
      return isRecord(value) ? [{ schema: value, isCertain }] : [];
    },
  );
  return branches(root, inner, mostParts);
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
