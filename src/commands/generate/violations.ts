/** Holds a request against a model's schema before it is sent. Loads ajv, so it is loaded lazily. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../../api/media/capabilities.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { choiceWords, either, optionsOf, plain, resolved, typeWords } from './schema.js';

export interface Checking {
  /** The exact body, with stand-ins for what is not known yet. */
  readonly body: JsonRecord;
  /** Options that hold a stand-in: only their presence and type are judged. */
  readonly standIns: ReadonlySet<string>;
  readonly model: string;
}

/** A schema comes from the service: it may not take the time of the person. */
const limitMs = 2000;

/**
 * What is wrong with a request, a sentence for each thing; none when one of the operations takes
 * it, or when none of the schemas can be used. All of them together get two seconds.
 */
export function violationsOf(
  operations: readonly Operation[],
  { body, standIns, model }: Checking,
): string[] {
  try {
    return withinTime(limitMs, () => {
      const each: string[][] = [];
      for (const { schema } of operations) {
        const errors = errorsOf(schema, body);
        if (!errors) continue;
        const ours = leavesOf(errors.filter((error) => isOurs(error, standIns)));
        each.push([...new Set(ours.map((error) => sentenceFor(error, schema, model)))]);
        if (ours.length === 0) break;
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
function errorsOf(schema: JsonRecord, body: JsonRecord): ErrorObject[] | undefined {
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
    return validate(body) ? [] : [...(validate.errors ?? [])];
  } catch {
    // References that lead nowhere, patterns that are none.
    return undefined;
  }
}

/** What the person can do nothing about is not told: another name of the model, a stand-in. */
function isOurs({ instancePath, keyword }: ErrorObject, standIns: ReadonlySet<string>): boolean {
  if (instancePath === '/model') return false;
  const option = /^\/opts\/([^/]+)/.exec(instancePath)?.[1];
  if (option === undefined || !standIns.has(option)) return true;
  return keyword === 'type' || keyword === 'maxItems';
}

/**
 * The errors that say something: where a schema has alternatives, ajv reports all that is wrong
 * with each of them. The one with the fewest faults was meant.
 */
function leavesOf(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = errors.filter(({ keyword }) => keyword !== 'if');
  const choices = left
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .sort((one, other) => one.schemaPath.length - other.schemaPath.length);
  for (const choice of choices) {
    if (!left.includes(choice)) continue;
    const branches = branchesOf(choice, left);
    if (branches.length === 0) continue;
    const needless = new Set([choice, ...branches.flat()]);
    const presence = presenceIn(choice, branches);
    const meant = presence ? [presence] : fewest(branches);
    left = [...left.filter((error) => !needless.has(error)), ...meant];
  }
  return left;
}

/** The errors of each alternative that has some. */
function branchesOf(choice: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[][] {
  const prefix = `${choice.schemaPath}/`;
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (!error.schemaPath.startsWith(prefix)) continue;
    if (!error.instancePath.startsWith(choice.instancePath)) continue;
    const index = error.schemaPath.slice(prefix.length).split('/')[0] ?? '';
    branches.set(index, [...(branches.get(index) ?? []), error]);
  }
  return [...branches.values()];
}

function fewest<Fault>(each: readonly Fault[][]): Fault[] {
  return each.reduce((best, one) => (one.length < best.length ? one : best));
}

/** One error for alternatives that differ only in which field has to be there. */
function presenceIn(choice: ErrorObject, branches: readonly ErrorObject[][]) {
  const faults = branches.flat();
  const [{ instancePath } = choice] = faults;
  const isPresence = (fault: ErrorObject) =>
    fault.keyword === 'required' && fault.instancePath === instancePath;
  if (!faults.every(isPresence)) return undefined;
  const missing = ({ params }: ErrorObject) => textOf(recordOf(params)['missingProperty']) ?? '';
  const names = new Set(branches.map((branch) => branch.map(missing).join(' with ')));
  return { ...choice, instancePath, keyword: 'oneNeeded', params: { names: [...names] } };
}

/** One plain sentence for a fault that ajv found. Words of the service's schema are untrusted. */
function sentenceFor(error: ErrorObject, root: JsonRecord, model: string): string {
  const name = nameOf(error.instancePath);
  const params = recordOf(error.params);
  const parent: unknown = error.parentSchema;
  const parents = isRecord(parent) ? resolved(root, parent) : [];
  const bound = error.keyword.startsWith('min') ? 'at least' : 'at most';
  let passing: unknown[];
  switch (error.keyword) {
    case 'required':
      return ['', '/opts'].includes(error.instancePath)
        ? `${word(params['missingProperty'])} is missing`
        : `${name}.${word(params['missingProperty'])} is missing`;
    case 'oneNeeded':
      return `one of ${either(listOf(params['names']).map(word))} is needed`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownOption(
        error.instancePath,
        word(params['additionalProperty'] ?? params['unevaluatedProperty']),
        root,
        model,
      );
    case 'enum':
    case 'const':
      return choiceSentence(name, error);
    case 'type':
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${name} must be ${typeWords({ schemas: parents }, root)}`;
    case 'oneOf':
      // Alternatives that were given at once.
      passing = listOf(params['passingSchemas']).map((nth) => listOf(error.schema)[Number(nth)]);
      return conflict(passing) ?? `${name} fits more than one way to use ${model}`;
    case 'not':
      return conflict([error.schema]) ?? `${name} is not taken in this combination`;
    case 'false schema':
      return `${name} is not taken in this combination`;
    case 'dependentRequired':
      return `${word(params['property'])} needs ${word(params['missingProperty'])}`;
    case 'minLength':
    case 'maxLength':
      if (error.keyword === 'minLength' && params['limit'] === 1)
        return `${name} must not be empty`;
      return `${name} must be ${bound} ${String(params['limit'])} characters long`;
    case 'minItems':
    case 'maxItems':
      return `${name} must have ${bound} ${String(params['limit'])} values`;
    case 'pattern':
      return `${name} must have the form ${word(params['pattern'])}`;
    default:
      return `${name} ${plainText(error.message ?? 'does not fit', 200)}`;
  }
}

/** `/opts/images/0` as `images[0]`, `/prompt` as `prompt`. */
function nameOf(instancePath: string): string {
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [first, ...rest] = steps[0] === 'opts' && steps.length > 1 ? steps.slice(1) : steps;
  if (first === undefined) return 'the request';
  return first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
}

function word(value: unknown): string {
  return plainText(textOf(value) ?? String(value), 80);
}

function unknownOption(path: string, name: string, root: JsonRecord, model: string): string {
  if (path !== '/opts') return `${nameOf(path)} takes no ${name}`;
  const known = optionsOf(root).map((option) => option.name);
  const close = nearest(name, known);
  if (close !== undefined) return `${model} has no option ${name}; did you mean ${word(close)}?`;
  const list = known.length === 0 ? 'it takes none' : `it takes ${choiceWords(known)}`;
  return `${model} has no option ${name}; ${list}`;
}

function choiceSentence(name: string, error: ErrorObject): string {
  const params = recordOf(error.params);
  const choices =
    error.keyword === 'const' ? [params['allowedValue']] : listOf(params['allowedValues']);
  const words = choices.map(plain);
  const given = plain(error.data);
  const close = typeof error.data === 'string' ? nearest(given, words) : undefined;
  const guess = close === undefined || words.length < 2 ? '' : `; did you mean ${word(close)}?`;
  return `${name} must be ${choiceWords(choices)}${guess}`;
}

/** The fields that these schemas require cannot go together. */
function conflict(schemas: readonly unknown[]): string | undefined {
  const required = schemas.flatMap((schema) => listOf(recordOf(schema)['required']).map(word));
  const names = [...new Set(required)];
  if (names.length < 2) return undefined;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} cannot go together`;
}
