/** Holds a request against a model's schema before it is sent. Loads ajv, so it is loaded lazily. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from '../../api/media/capabilities.js';
import type { JsonRecord } from '../../lib/json.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { leavesOf } from './branches.js';
import { sentenceFor } from './sentences.js';

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
export function violationsOf(operations: readonly Operation[], checking: Checking): string[] {
  try {
    return withinTime(limitMs, () => violationsOfAll(operations, checking));
  } catch (error) {
    // A pattern that never ends, or more schemas than anybody wrote: the service is the judge.
    if (error instanceof TimeLimitError) return [];
    throw error;
  }
}

function violationsOfAll(operations: readonly Operation[], checking: Checking): string[] {
  let fewest: string[] | undefined;
  for (const { schema } of operations) {
    const sentences = violationsOfOne(schema, checking);
    if (!sentences) continue;
    if (sentences.length === 0) return [];
    if (!fewest || sentences.length < fewest.length) fewest = sentences;
  }
  return fewest ?? [];
}

function violationsOfOne(schema: JsonRecord, checking: Checking): string[] | undefined {
  const errors = errorsOf(schema, checking.body);
  if (!errors) return undefined;
  const about = { root: schema, model: checking.model };
  const sentences = leavesOf(errors.filter((error) => isOurs(error, checking.standIns)))
    .map((error) => sentenceFor(error, about))
    .filter((sentence) => sentence !== undefined);
  return [...new Set(sentences)];
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
