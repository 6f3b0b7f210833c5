import process from 'node:process';
import { createContext, Script, type Context } from 'node:vm';
import { codeOf } from './error-code.js';

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const callWork = new Script('work()');
const names: Record<string, () => void> = {};
let context: Context | undefined;

interface TimeLimitOptions {
  readonly breakOnSigint: true;
}

/**
 * Interrupts `work`, even regular expressions, but not JSON.parse, when it has computed for
 * `limitMs`. The timer of node:vm also counts the time that a busy machine gives to other programs:
 * work that got too little starts again, with a longer timer.
 * @throws TimeLimitError
 */
export function withinTime<Result>(
  limitMs: number,
  work: () => Result,
  options?: TimeLimitOptions,
): Result {
  const before = process.cpuUsage();
  for (let timerMs = limitMs; ; timerMs *= 2) {
    const done = interrupted(timerMs, work, options);
    if (done) return done.result;
    const { user, system } = process.cpuUsage(before);
    // A timer is never quite exact.
    if ((user + system) / 1000 < limitMs * 0.8) continue;
    throw new TimeLimitError(`the work took longer than ${limitMs} ms`);
  }
}

/** @returns undefined when the timer has ended it */
function interrupted<Result>(timerMs: number, work: () => Result, options?: TimeLimitOptions) {
  context ??= createContext(names);
  let done: { readonly result: Result } | undefined;
  names['work'] = () => {
    done = { result: work() };
  };
  try {
    callWork.runInContext(context, { timeout: timerMs, ...options });
  } catch (error) {
    // The error comes from the other context, so it is not an Error of this one.
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return done;
}
