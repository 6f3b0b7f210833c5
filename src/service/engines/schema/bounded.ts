/** A schema comes from the caller, and so does the time it takes. */
import { fitsPattern, TimeLimitError } from '../../../lib/time-limit.js';
import { SchemaTrouble } from './schema.js';

/** Far beyond any schema that is meant well. */
const limitMs = 1000;
let untilMs = Infinity;

/**
 * Does work on a schema, for a while: what may go on without end calls `demandTime` as it goes.
 * @throws SchemaTrouble when it takes longer
 */
export function bounded<Result>(work: () => Result): Result {
  untilMs = performance.now() + limitMs;
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new SchemaTrouble('that would take too long');
  } finally {
    untilMs = Infinity;
  }
}

/** @throws TimeLimitError when the time for the schema at hand is over */
export function demandTime(): void {
  if (performance.now() > untilMs) throw new TimeLimitError('the schema takes too long');
}

/** Whether a pattern of the schema fits a text. */
export function fits(pattern: RegExp, text: string): boolean {
  demandTime();
  return fitsPattern(pattern, text, Math.min(limitMs, untilMs - performance.now()));
}
