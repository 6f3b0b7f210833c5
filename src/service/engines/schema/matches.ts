/** Whether a value fits a JSON Schema (draft 2020-12, without remote references). */
import { isRecord } from '../../../lib/json.js';
import { countCharacters } from '../../../lib/text-pieces.js';
import { demandTime, fits } from './bounded.js';
import { fitsFormat } from './strings.js';
import {
  asSchema,
  namesOf,
  numberOf,
  resolveReference,
  sameJson,
  schemaList,
  schemaMap,
  SchemaTrouble,
  typesOf,
  type Schema,
} from './schema.js';

const deepest = 200;

/** Says whether `value` fits `schema`; `root` is where its references point into. */
export function matches(value: unknown, schema: Schema, root: Schema, depth = 0): boolean {
  if (depth > deepest) throw new SchemaTrouble('the schema refers to itself without end');
  demandTime();
  const check = (inner: unknown, part: Schema) => matches(inner, part, root, depth + 1);
  return (
    fitsType(value, schema) &&
    fitsValues(value, schema) &&
    fitsCombination(value, schema, root, check) &&
    (typeof value !== 'number' || fitsNumber(value, schema)) &&
    (typeof value !== 'string' || fitsString(value, schema)) &&
    (!Array.isArray(value) || fitsArray(value, schema, check)) &&
    (!isRecord(value) || fitsObject(value, schema, check))
  );
}

type Check = (value: unknown, schema: Schema) => boolean;

function fitsType(value: unknown, schema: Schema): boolean {
  const types = typesOf(schema);
  return types === undefined || types.some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function fitsValues(value: unknown, schema: Schema): boolean {
  if (Object.hasOwn(schema, 'const') && !sameJson(value, schema.const)) return false;
  return !Array.isArray(schema.enum) || schema.enum.some((one) => sameJson(one, value));
}

function fitsCombination(value: unknown, schema: Schema, root: Schema, check: Check): boolean {
  if (typeof schema.$ref === 'string' && !check(value, resolveReference(root, schema.$ref))) {
    return false;
  }
  const any = schemaList(schema, 'anyOf');
  const one = schemaList(schema, 'oneOf');
  if (!schemaList(schema, 'allOf').every((part) => check(value, part))) return false;
  if (any.length > 0 && !any.some((part) => check(value, part))) return false;
  if (one.length > 0 && one.filter((part) => check(value, part)).length !== 1) return false;
  if (schema.not !== undefined && check(value, asSchema(schema.not))) return false;
  if (schema.if === undefined) return true;
  const branch = check(value, asSchema(schema.if)) ? schema.then : schema.else;
  return check(value, asSchema(branch));
}

function fitsNumber(value: number, schema: Schema): boolean {
  const { multipleOf } = schema;
  return (
    value >= (numberOf(schema, 'minimum') ?? -Infinity) &&
    value <= (numberOf(schema, 'maximum') ?? Infinity) &&
    value > (numberOf(schema, 'exclusiveMinimum') ?? -Infinity) &&
    value < (numberOf(schema, 'exclusiveMaximum') ?? Infinity) &&
    (typeof multipleOf !== 'number' || isMultiple(value, multipleOf))
  );
}

/** Decimal steps such as 0.1 are not exact in binary, so the quotient may be off by a hair. */
export function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function fitsString(value: string, schema: Schema): boolean {
  const length = countCharacters(value);
  return (
    length >= (numberOf(schema, 'minLength') ?? 0) &&
    length <= (numberOf(schema, 'maxLength') ?? Infinity) &&
    (typeof schema.pattern !== 'string' || fits(expression(schema.pattern), value)) &&
    (typeof schema.format !== 'string' || fitsFormat(value, schema.format))
  );
}

/** A schema's pattern as a regular expression. */
export function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    throw new SchemaTrouble(`the pattern ${JSON.stringify(pattern)} is no regular expression`);
  }
}

function fitsArray(value: readonly unknown[], schema: Schema, check: Check): boolean {
  const prefix = schemaList(schema, 'prefixItems');
  const items = asSchema(schema.items);
  if (value.length < (numberOf(schema, 'minItems') ?? 0)) return false;
  if (value.length > (numberOf(schema, 'maxItems') ?? Infinity)) return false;
  if (!value.every((item, i) => check(item, prefix[i] ?? items))) return false;
  if (schema.uniqueItems === true && hasTwins(value)) return false;
  if (schema.contains === undefined) return true;
  const contains = asSchema(schema.contains);
  const found = value.filter((item) => check(item, contains)).length;
  return (
    found >= (numberOf(schema, 'minContains') ?? 1) &&
    found <= (numberOf(schema, 'maxContains') ?? Infinity)
  );
}

function hasTwins(items: readonly unknown[]): boolean {
  return items.some((item, i) => {
    demandTime();
    return items.slice(i + 1).some((other) => sameJson(item, other));
  });
}

function fitsObject(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  check: Check,
): boolean {
  const names = Object.keys(value);
  if (names.length < (numberOf(schema, 'minProperties') ?? 0)) return false;
  if (names.length > (numberOf(schema, 'maxProperties') ?? Infinity)) return false;
  if (!namesOf(schema, 'required').every((name) => Object.hasOwn(value, name))) return false;
  if (!fitsDependencies(value, schema, check)) return false;
  const known = new Map(schemaMap(schema, 'properties'));
  const patterns = schemaMap(schema, 'patternProperties');
  const others = asSchema(schema.additionalProperties);
  const nameSchema = asSchema(schema.propertyNames);
  return names.every((name) => {
    const own = known.get(name);
    const matching = patterns.filter(([pattern]) => fits(expression(pattern), name));
    const parts = matching.map(([, part]) => part);
    if (own) parts.push(own);
    if (parts.length === 0) parts.push(others);
    return check(name, nameSchema) && parts.every((part) => check(value[name], part));
  });
}

function fitsDependencies(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  check: Check,
): boolean {
  const required = isRecord(schema.dependentRequired) ? schema.dependentRequired : {};
  return (
    Object.keys(required).every(
      (name) =>
        !Object.hasOwn(value, name) ||
        namesOf(required, name).every((needed) => Object.hasOwn(value, needed)),
    ) &&
    schemaMap(schema, 'dependentSchemas').every(
      ([name, part]) => !Object.hasOwn(value, name) || check(value, part),
    )
  );
}
