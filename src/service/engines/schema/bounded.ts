/** A schema comes from the caller, and so does the time it takes. */
import { TimeLimitError, withinTime } from '../../../lib/time-limit.js';
import { SchemaTrouble } from './schema.js';

/** Far beyond any schema that is meant well. */
const limitMs = 1000;

/**
 * Does work on a schema, for a while.
 * @throws SchemaTrouble when it takes longer
 */
export function bounded<Result>(work: () => Result): Result {
  try {
    return withinTime(limitMs, work);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw new SchemaTrouble('that would take too long');
  }
}
