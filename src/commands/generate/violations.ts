/** Holds a request against a model's schema before it is sent. Loads ajv, so it is loaded lazily. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../../api/media/capabilities.js';
import { listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { choiceWords, either, optionsOf, plain, shapeOf, typeWords, unescaped } from './schema.js';

export interface Checking {
  /** The exact body, with stand-ins for what is not known yet. */
  readonly body: JsonRecord;
  /** Options that hold a stand-in: only their presence and type are judged. */
  readonly standIns: ReadonlySet<string>;
  readonly model: string;
}

/** A schema comes from the service: it may not take the time of the person. */
const limitMs = 2000;

/** A sentence for each fault; none when an operation takes it, or no schema can be used. */
export function violationsOf(operations: readonly Operation[], checking: Checking): string[] {
  try {
    return withinTime(limitMs, () => {
      const each: string[][] = [];
      for (const { schema } of operations) {
        const errors = errorsOf(schema, checking);
        if (!errors) continue;
        each.push([...new Set(errors.map((error) => sentenceFor(error, schema, checking.model)))]);
        if (errors.length === 0) break;
      }
      return each.length === 0 ? [] : fewest(each);
    });
  } catch (error) {
    // A pattern that never ends, or more schemas than anybody wrote: the service is the judge.
    if (error instanceof TimeLimitError) return [];
    throw error;
  }
}

/** Undefined when the schema is none: then the service is the judge. */
function errorsOf(schema: JsonRecord, { body, standIns }: Checking): ErrorObject[] | undefined {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      verbose: true,
      validateSchema: false,
      validateFormats: false,
      logger: false,
    });
    const validate = ajv.compile(schema);
    const errors = validate(body) ? [] : [...(validate.errors ?? [])];
    return leavesOf(errors.filter((error) => isOurs(error, standIns)));
  } catch {
    // References that lead nowhere, patterns that are none.
    return undefined;
  }
}

/** What the person can do nothing about is left out: another name of the model, a stand-in. */
function isOurs({ instancePath, keyword }: ErrorObject, standIns: ReadonlySet<string>): boolean {
  if (instancePath === '/model' || keyword === 'if') return false;
  const option = /^\/opts\/([^/]+)/.exec(instancePath)?.[1];
  if (option === undefined || !standIns.has(option)) return true;
  return keyword === 'type' || keyword === 'maxItems';
}

/** Of the faults of alternatives those of the one with the fewest: that was meant. */
function leavesOf(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = [...errors];
  const choices = left
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .sort((one, other) => one.schemaPath.length - other.schemaPath.length);
  for (const choice of choices) {
    if (!left.includes(choice)) continue;
    const prefix = `${choice.schemaPath}/`;
    const branches = new Map<string, ErrorObject[]>();
    for (const error of left) {
      if (!error.schemaPath.startsWith(prefix)) continue;
      if (!error.instancePath.startsWith(choice.instancePath)) continue;
      const [nth = ''] = error.schemaPath.slice(prefix.length).split('/');
      branches.set(nth, [...(branches.get(nth) ?? []), error]);
    }
    if (branches.size === 0) continue;
    const each = [...branches.values()];
    const needless = new Set([choice, ...each.flat()]);
    const meant = presenceIn(choice, each) ?? fewest(each);
    left = [...left.filter((error) => !needless.has(error)), ...meant];
  }
  return left;
}

function fewest<Fault>(each: readonly Fault[][]): Fault[] {
  return each.reduce((best, one) => (one.length < best.length ? one : best));
}

/** One error for alternatives that differ only in which field has to be there. */
function presenceIn(
  choice: ErrorObject,
  branches: readonly ErrorObject[][],
): ErrorObject[] | undefined {
  const faults = branches.flat();
  const instancePath = faults[0]?.instancePath ?? '';
  const isPresence = (fault: ErrorObject) =>
    fault.keyword === 'required' && fault.instancePath === instancePath;
  if (!faults.every(isPresence)) return undefined;
  const missing = ({ params }: ErrorObject) => word(recordOf(params)['missingProperty']);
  const names = [...new Set(branches.map((branch) => branch.map(missing).join(' with ')))];
  return [{ ...choice, instancePath, keyword: 'oneNeeded', params: { names } }];
}

/** One plain sentence for a fault that ajv found. Words of the service's schema are untrusted. */
function sentenceFor(error: ErrorObject, root: JsonRecord, model: string): string {
  const { keyword, instancePath } = error;
  const name = nameOf(instancePath);
  const params = recordOf(error.params);
  const limit = String(params['limit']);
  const bound = keyword.startsWith('min') ? 'at least' : 'at most';
  const alone = `${name} is not taken in this combination`;
  switch (keyword) {
    case 'required': {
      const missing = `${word(params['missingProperty'])} is missing`;
      return ['', '/opts'].includes(instancePath) ? missing : `${name}.${missing}`;
    }
    case 'oneNeeded':
      return `one of ${either(listOf(params['names']).map(word))} is needed`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = word(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const isOption = instancePath === '/opts';
      return isOption ? unknownOption(unknown, root, model) : `${name} takes no ${unknown}`;
    }
    case 'enum':
      return choiceSentence(name, listOf(params['allowedValues']), error.data);
    case 'const':
      return choiceSentence(name, [params['allowedValue']], error.data);
    case 'type':
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${name} must be ${typeWords(shapeOf(root, error.parentSchema))}`;
    case 'oneOf': {
      // Alternatives that were given at once.
      const passing = listOf(params['passingSchemas']).map(
        (nth) => listOf(error.schema)[Number(nth)],
      );
      return conflict(passing) ?? `${name} fits more than one way to use ${model}`;
    }
    case 'not':
      return conflict([error.schema]) ?? alone;
    case 'false schema':
      return alone;
    case 'dependentRequired':
      return `${word(params['property'])} needs ${word(params['missingProperty'])}`;
    case 'minLength':
    case 'maxLength':
      if (keyword === 'minLength' && limit === '1') return `${name} must not be empty`;
      return `${name} must be ${bound} ${limit} characters long`;
    case 'minItems':
    case 'maxItems':
      return `${name} must have ${bound} ${limit} values`;
    case 'pattern':
      return `${name} must have the form ${word(params['pattern'])}`;
    default:
      return `${name} ${plainText(error.message ?? 'does not fit', 200)}`;
  }
}

/** `/opts/images/0` as `images[0]`, `/prompt` as `prompt`. */
function nameOf(instancePath: string): string {
  const path = instancePath.replace(/^\/opts(?=\/)/, '');
  const steps = path.split('/').map(unescaped);
  const [, first = 'the request', ...rest] = steps;
  return first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
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

function choiceSentence(name: string, choices: readonly unknown[], data: unknown): string {
  const words = choices.map(plain);
  const close = typeof data === 'string' && words.length > 1 ? nearest(data, words) : undefined;
  const guess = close === undefined ? '' : `; did you mean ${word(close)}?`;
  return `${name} must be ${choiceWords(choices)}${guess}`;
}

/** The fields that these schemas require cannot go together. */
function conflict(schemas: readonly unknown[]): string | undefined {
  const required = schemas.flatMap((schema) => listOf(recordOf(schema)['required']).map(word));
  const names = [...new Set(required)];
  if (names.length < 2) return undefined;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} cannot go together`;
}
