/** What ajv finds in a schema, or in a value that must fit one. Loads ajv, so it is lazy. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { recordOf, textOf, unescaped, type JsonRecord } from './json.js';
import { plainText } from './plain-text.js';
import { TimeLimitError, withinTime } from './time-limit.js';

/** A pattern may take forever: it must not keep the user waiting. */
export const limitMs = 2000;

export const settings = {
  strict: false,
  allErrors: true,
  verbose: true,
  validateSchema: false,
  validateFormats: false,
  logger: false,
} as const;

/** The first two faults that `isFine` finds, or why it cannot look; undefined if that timed out. */
export function faultsOf(
  isFine: (ajv: Ajv2020) => unknown,
  whole = 'the answer',
): readonly string[] | undefined {
  const sentence = ({ instancePath, message = 'does not fit', params }: ErrorObject) => {
    const extra = textOf(recordOf(params)['additionalProperty']);
    const what = instancePath === '' ? whole : nameOf(instancePath);
    return plainText(`${what} ${message}${extra === undefined ? '' : `: ${extra}`}`, 200);
  };
  try {
    return withinTime(limitMs, () => {
      const ajv = new Ajv2020(settings);
      return isFine(ajv) ? [] : (ajv.errors ?? []).slice(0, 2).map(sentence);
    });
  } catch (error) {
    if (error instanceof TimeLimitError) return undefined;
    if (error instanceof RangeError) return [`${whole} is nested too deeply`];
    const why = error instanceof Error ? error.message : String(error);
    return [plainText(`it cannot be compiled: ${why}`, 200)];
  }
}

let schemaChecker: Ajv2020 | undefined;

/** The faults of what should be a schema of draft 2020-12, as `faultsOf` has them. */
export function faultsOfSchema(schema: JsonRecord): readonly string[] | undefined {
  // Compiling the schema of all schemas takes 40 ms, and must not be interrupted.
  if (!schemaChecker) {
    schemaChecker = new Ajv2020(settings);
    void schemaChecker.validateSchema({});
  }
  const checker = schemaChecker;
  return faultsOf((ajv) => {
    const isValid = checker.validateSchema(schema) === true;
    ajv.errors = checker.errors;
    return isValid && ajv.compile(schema);
  });
}

/** `/opts/images/0` as `images[0]`, `/prompt` as `prompt`. */
export function nameOf(instancePath: string): string {
  const path = instancePath.replace(/^\/opts(?=\/)/, '');
  const steps = path.split('/').map(unescaped);
  const [, first = 'the request', ...rest] = steps;
  return first + rest.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
}
