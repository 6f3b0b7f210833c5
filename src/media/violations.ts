/** Checks a request against a model's schema. Loads ajv, so it is lazy. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../api/media/capabilities.js';
import { listOf, recordOf, textOf, valueText, type JsonRecord } from '../lib/json.js';
import { guess, nearest } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { limitMs as schemaLimitMs, nameOf, settings } from '../lib/schema-faults.js';
import { TimeLimitError, withinTime } from '../lib/time-limit.js';
import { choiceWords, either, optionsOf, shapeOf, typeWords } from './model-options.js';

interface Checking {
  /** The exact body, with placeholders for values that are not known yet. */
  readonly body: JsonRecord;
  /** Options with a placeholder: only their presence and type are checked. */
  readonly standIns: ReadonlySet<string>;
  readonly model: string;
}

/**
 * A sentence for each fault; none if an operation accepts it, or no schema can be used.
 * @param limitMs for all operations together
 */
export function violationsOf(
  operations: readonly Operation[],
  checking: Checking,
  limitMs = schemaLimitMs,
): string[] {
  try {
    return withinTime(limitMs, () => {
      const each = operations.map(({ schema }) => sentencesBy(schema, checking));
      return fewest(each.filter((sentences) => sentences !== undefined)) ?? [];
    });
  } catch (error) {
    // A pattern that never ends, or far too many schemas: the service decides.
    if (error instanceof TimeLimitError) return [];
    throw error;
  }
}

/** Undefined if the schema is invalid (its references lead nowhere): then the service decides. */
function sentencesBy(schema: JsonRecord, { body, standIns, model }: Checking) {
  let errors: ErrorObject[];
  try {
    const validate = new Ajv2020(settings).compile(schema);
    errors = validate(body) ? [] : (validate.errors ?? []);
  } catch {
    return undefined;
  }
  const fixable = errors.filter((error) => isFixable(error, standIns));
  return [...new Set(leavesOf(fixable).map((error) => sentenceFor(error, schema, model)))];
}

/** Not what the user cannot fix: another name of the model, a placeholder. */
function isFixable({ instancePath, keyword }: ErrorObject, standIns: ReadonlySet<string>): boolean {
  if (instancePath === '/model' || keyword === 'if') return false;
  const option = /^\/opts\/([^/]+)/.exec(instancePath)?.[1];
  if (option === undefined || !standIns.has(option)) return true;
  return keyword === 'type' || keyword === 'maxItems';
}

/** Of several alternatives, the faults of the one with the fewest: it was probably meant. */
function leavesOf(errors: ErrorObject[]): ErrorObject[] {
  const choices = errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .sort((one, other) => one.schemaPath.length - other.schemaPath.length);
  let left = errors;
  for (const choice of choices) {
    const prefix = `${choice.schemaPath}/`;
    const below = left.filter(
      ({ schemaPath, instancePath }) =>
        schemaPath.startsWith(prefix) && instancePath.startsWith(choice.instancePath),
    );
    if (below.length === 0 || !left.includes(choice)) continue;
    const nthOf = ({ schemaPath }: ErrorObject) => parseInt(schemaPath.slice(prefix.length), 10);
    const nths = [...new Set(below.map(nthOf))];
    const branches = nths.map((nth) => below.filter((error) => nthOf(error) === nth));
    const meant = presenceIn(branches) ?? fewest(branches) ?? [];
    left = [...left.filter((error) => error !== choice && !below.includes(error)), ...meant];
  }
  return left;
}

function fewest<Fault>(each: readonly Fault[][]): Fault[] | undefined {
  return each.toSorted((one, other) => one.length - other.length)[0];
}

/** One error for alternatives that differ only in the field that they require. */
function presenceIn(branches: readonly ErrorObject[][]) {
  const [first, ...others] = branches.flat();
  const isPresence = (fault: ErrorObject) =>
    fault.keyword === 'required' && fault.instancePath === first?.instancePath;
  if (!first || ![first, ...others].every(isPresence)) return undefined;
  const missing = ({ params }: ErrorObject) => word(recordOf(params)['missingProperty']);
  const names = [...new Set(branches.map((branch) => branch.map(missing).join(' with ')))];
  return [{ ...first, keyword: 'oneNeeded', params: { names } }];
}

/** One plain sentence for a fault that ajv found. Words of the service's schema are untrusted. */
function sentenceFor(error: ErrorObject, root: JsonRecord, model: string): string {
  const { keyword, instancePath, data } = error;
  const name = nameOf(instancePath);
  const params = recordOf(error.params);
  const isOption = instancePath === '/opts';
  switch (keyword) {
    case 'required': {
      const missing = `${word(params['missingProperty'])} is missing`;
      return isOption || instancePath === '' ? missing : `${name}.${missing}`;
    }
    case 'oneNeeded':
      return `one of ${either(listOf(params['names']).map(word))} is required`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = word(params['additionalProperty'] ?? params['unevaluatedProperty']);
      return isOption ? unknownOption(unknown, root, model) : `${name} does not accept ${unknown}`;
    }
    case 'enum':
    case 'const': {
      const choices = keyword === 'enum' ? listOf(error.schema) : [error.schema];
      const isGuessed = typeof data === 'string' && choices.length > 1;
      const end = isGuessed ? guess(data, choices.map(valueText)) : '';
      return `${name} must be ${choiceWords(choices)}${end}`;
    }
    case 'type':
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${name} must be ${typeWords(shapeOf(root, error.parentSchema))}`;
    case 'oneOf': {
      // Alternatives that were given at once.
      const passing = listOf(params['passingSchemas']).map(Number);
      const fitting = listOf(error.schema).filter((_, nth) => passing.includes(nth));
      return conflict(fitting) ?? `${name} fits more than one way to use ${model}`;
    }
    case 'not':
    case 'false schema':
      return conflict([error.schema]) ?? `${name} is not accepted in this combination`;
    case 'dependentRequired':
      return `${word(params['property'])} needs ${word(params['missingProperty'])}`;
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems': {
      if (keyword === 'minLength' && params['limit'] === 1) return `${name} must not be empty`;
      const bound = keyword.startsWith('min') ? 'at least' : 'at most';
      const count = `${bound} ${String(params['limit'])}`;
      if (keyword.endsWith('Items')) return `${name} must have ${count} values`;
      return `${name} must be ${count} characters long`;
    }
    case 'pattern':
      return `${name} must have the form ${word(params['pattern'])}`;
    default:
      return `${name} ${plainText(error.message ?? 'does not fit', 200)}`;
  }
}

function word(value: unknown): string {
  return plainText(textOf(value) ?? String(value), 80);
}

function unknownOption(name: string, root: JsonRecord, model: string): string {
  const known = optionsOf([root]).map((option) => option.name);
  const close = nearest(name, known);
  if (close !== undefined) return `${model} has no option ${name}; did you mean ${word(close)}?`;
  const list = known.length === 0 ? 'it takes none' : `it takes ${choiceWords(known)}`;
  return `${model} has no option ${name}; ${list}`;
}

function conflict(schemas: readonly unknown[]): string | undefined {
  const required = schemas.flatMap((schema) => listOf(recordOf(schema)['required']).map(word));
  const [last, ...others] = [...new Set(required)].reverse();
  if (others.length === 0) return undefined;
  return `${others.reverse().join(', ')} and ${last ?? ''} cannot be combined`;
}
