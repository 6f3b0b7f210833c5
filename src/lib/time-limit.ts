/** A limit on code that somebody else's input can make arbitrarily slow. */
import { createContext, Script, type Context } from 'node:vm';
import { codeOf } from './error-code.js';

/** The work took longer than it may; it was broken off where it was. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const callWork = new Script('work()');
const names: Record<string, () => void> = {};
let context: Context | undefined;

/**
 * The result of `work`, which runs at once and as usual. Regular expressions are broken off too;
 * a single call of the platform, such as JSON.parse, is not. Nothing in `work` learns of the end,
 * so it must leave nothing half done that outlives it.
 * @throws TimeLimitError when it takes longer than `limitMs`
 */
export function withinTime<Result>(limitMs: number, work: () => Result): Result {
  context ??= createContext(names);
  let done: { readonly result: Result } | undefined;
  names['work'] = () => {
    done = { result: work() };
  };
  try {
    callWork.runInContext(context, { timeout: limitMs });
  } catch (error) {
    // The error comes from the other context, so it is no Error of this one.
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  if (!done) throw new TimeLimitError(`the work took longer than ${limitMs} ms`);
  return done.result;
}
