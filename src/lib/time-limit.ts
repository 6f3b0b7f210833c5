import { createContext, Script, type Context } from 'node:vm';
import { codeOf } from './error-code.js';

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const callWork = new Script('work()');
const names: Record<string, () => void> = {};
let context: Context | undefined;

/** Interrupts `work`, even regular expressions, but not JSON.parse. @throws TimeLimitError */
export function withinTime<Result>(
  limitMs: number,
  work: () => Result,
  options?: { readonly breakOnSigint: true },
): Result {
  context ??= createContext(names);
  let done: { readonly result: Result } | undefined;
  names['work'] = () => {
    done = { result: work() };
  };
  try {
    callWork.runInContext(context, { timeout: limitMs, ...options });
  } catch (error) {
    // The error comes from the other context, so it is not an Error of this one.
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  if (!done) throw new TimeLimitError(`the work took longer than ${limitMs} ms`);
  return done.result;
}
