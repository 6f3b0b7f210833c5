/** Limits on code, and on patterns, that somebody else's input can make arbitrarily slow. */
import { createContext, Script, type Context } from 'node:vm';
import { codeOf } from './error-code.js';
import { Worker } from 'node:worker_threads';

/** The work took longer than it may; it was broken off where it was. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

const callWork = new Script('work()');
/** What `work` is, inside the context. */
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

interface Thread {
  readonly worker: Worker;
  /** One of `states`. */
  readonly state: Int32Array;
}

const states = { busy: 0, ready: 1, fits: 2, fitsNot: 3, failed: 4 } as const;
const code = `
  const { parentPort, workerData: state } = require('node:worker_threads');
  const tell = (outcome) => {
    Atomics.store(state, 0, outcome);
    Atomics.notify(state, 0);
  };
  parentPort.on('message', ({ pattern, text }) => {
    try {
      tell(pattern.test(text) ? ${states.fits} : ${states.fitsNot});
    } catch {
      tell(${states.failed});
    }
  });
  tell(${states.ready});`;
const startLimitMs = 5000;
let thread: Thread | undefined;

/**
 * Whether an expression without the flags g and y fits a text.
 * @throws TimeLimitError when that takes longer than `limitMs`, or more room than expressions have
 */
export function fitsPattern(pattern: RegExp, text: string, limitMs: number): boolean {
  thread ??= start();
  Atomics.store(thread.state, 0, states.busy);
  thread.worker.postMessage({ pattern, text });
  const outcome = outcomeOf(thread, limitMs);
  if (outcome === states.failed) throw new TimeLimitError('the expression is too large');
  return outcome === states.fits;
}

function start(): Thread {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(code, { eval: true, workerData: state });
  // One that cannot start is one that never answers.
  worker.on('error', () => undefined);
  worker.unref();
  outcomeOf({ worker, state }, startLimitMs);
  return { worker, state };
}

/** Waits for a thread; one that stays busy is ended, and the next text has a new one. */
function outcomeOf({ worker, state }: Thread, limitMs: number): number {
  Atomics.wait(state, 0, states.busy, Math.max(0, limitMs));
  const outcome = Atomics.load(state, 0);
  if (outcome !== states.busy) return outcome;
  thread = undefined;
  void worker.terminate();
  throw new TimeLimitError(`the expression takes longer than ${limitMs} ms`);
}
