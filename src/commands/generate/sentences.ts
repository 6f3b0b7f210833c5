/** One plain sentence for a fault that ajv found. Words of the service's schema are untrusted. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { isRecord, listOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { plain } from './coerce.js';
import { choiceWords, either, typeWords } from './describe.js';
import { optionsOf, resolved } from './schema.js';

export interface About {
  readonly root: JsonRecord;
  readonly model: string;
}

/** Undefined for what another sentence says already. */
export function sentenceFor(error: ErrorObject, { root, model }: About): string | undefined {
  const name = nameOf(error.instancePath);
  const params = recordOf(error.params);
  switch (error.keyword) {
    case 'required':
      return `${fieldIn(error.instancePath, params['missingProperty'])} is missing`;
    case 'oneNeeded':
      return `one of ${either(listOf(params['names']).map(word))} is needed`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownOption(
        error,
        word(params['additionalProperty'] ?? params['unevaluatedProperty']),
        {
          root,
          model,
        },
      );
    case 'enum':
    case 'const':
      return choiceSentence(name, error);
    case 'type':
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${name} must be ${typeWords({ schemas: schemasOf(error, root) }, root)}`;
    case 'oneOf':
      return together(error) ?? `${name} fits more than one way to use ${model}`;
    case 'not':
      return togetherIn(recordOf(error.schema)) ?? `${name} is not taken in this combination`;
    case 'false schema':
      return `${name} is not taken in this combination`;
    case 'dependentRequired':
      return `${word(params['property'])} needs ${word(params['missingProperty'])}`;
    case 'minLength':
    case 'maxLength':
      return `${name} ${lengthWords(error.keyword, Number(params['limit']))}`;
    case 'minItems':
    case 'maxItems':
      return `${name} must have ${boundWord(error.keyword)} ${String(params['limit'])} values`;
    case 'pattern':
      return `${name} must have the form ${word(params['pattern'])}`;
    default:
      return `${name} ${plainText(error.message ?? 'does not fit', 200)}`;
  }
}

function lengthWords(keyword: string, limit: number): string {
  if (keyword === 'minLength' && limit === 1) return 'must not be empty';
  return `must be ${boundWord(keyword)} ${String(limit)} characters long`;
}

function boundWord(keyword: string): string {
  return keyword.startsWith('min') ? 'at least' : 'at most';
}

/** `/opts/images/0` as `images[0]`, `/prompt` as `prompt`. */
function nameOf(instancePath: string): string {
  const steps = instancePath.split('/').slice(1).map(unescaped);
  const [first, ...rest] = steps[0] === 'opts' && steps.length > 1 ? steps.slice(1) : steps;
  if (first === undefined) return 'the request';
  return first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function fieldIn(instancePath: string, field: unknown): string {
  return instancePath === '' || instancePath === '/opts'
    ? word(field)
    : `${nameOf(instancePath)}.${word(field)}`;
}

function word(value: unknown): string {
  return plainText(textOf(value) ?? String(value), 80);
}

function schemasOf(error: ErrorObject, root: JsonRecord): JsonRecord[] {
  const parent: unknown = error.parentSchema;
  return isRecord(parent) ? resolved(root, parent) : [];
}

function unknownOption(error: ErrorObject, name: string, { root, model }: About): string {
  if (error.instancePath !== '/opts') return `${nameOf(error.instancePath)} takes no ${name}`;
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

/** Alternatives that were given at once: their required fields cannot go together. */
function together({ params, schema }: ErrorObject): string | undefined {
  const passing = listOf(recordOf(params)['passingSchemas']);
  const names = passing.flatMap((index) =>
    listOf(recordOf(listOf(schema)[Number(index)])['required']).map(word),
  );
  return cannotGo([...new Set(names)]);
}

function togetherIn(schema: JsonRecord): string | undefined {
  return cannotGo(listOf(schema['required']).map(word));
}

function cannotGo(names: readonly string[]): string | undefined {
  if (names.length < 2) return undefined;
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} cannot go together`;
}
