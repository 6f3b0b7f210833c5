/** Tries regular expressions of somebody else on a thread, which can be ended when one is too slow. */
import { Worker } from 'node:worker_threads';
import { TimeLimitError } from './time-limit.js';

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
