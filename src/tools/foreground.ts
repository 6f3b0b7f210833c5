/** A program in place of svc: with its terminal and its streams, in its process group. */
import { constants as os } from 'node:os';
import { isatty } from 'node:tty';
import { spawn } from 'cross-spawn';
import { failing } from '../files/file-trouble.js';
import type { Clock } from '../lib/clock.js';
import type { Env } from '../lib/env.js';
import type { Signals } from '../lib/signals.js';

export interface ForegroundProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Env;
  /** What to do where it cannot be run. */
  readonly hint: string;
  /** The shell whose line `command` is. */
  readonly shell?: string;
}

interface Control {
  /** It gets the signals of svc while it runs. */
  readonly signals: Signals;
  readonly clock: Clock;
  /** Ends it: with SIGTERM and, where it goes on, with SIGKILL. */
  readonly stop?: AbortSignal;
}

/** The time that a program has to end in before it is killed. */
const graceMs = 5000;
/** The terminal sends the signals of its keys to the program too. */
const ofKeys: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs it to its end.
 * @returns its exit code; as in a shell, 128 and more for a signal.
 * @throws LocalFileError where it cannot be run
 */
export async function runForeground(
  { command, args, env, hint, shell }: ForegroundProgram,
  { signals, clock, stop }: Control,
): Promise<number> {
  const ended = new AbortController();
  const hasTerminal = [0, 1, 2].some(isatty);
  const running = new Promise<number>((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env, shell });
    signals.passOn = (signal) => {
      if (!hasTerminal || !ofKeys.includes(signal)) child.kill(signal);
    };
    const end = async () => {
      child.kill('SIGTERM');
      await clock.sleep(graceMs, ended.signal);
      child.kill('SIGKILL');
    };
    const onStop = () => void end().catch(() => undefined);
    if (stop?.aborted) onStop();
    else stop?.addEventListener('abort', onStop, { once: true, signal: ended.signal });
    child.on('error', (error) => {
      // One that may not be killed, such as sudo, goes on.
      if (!('syscall' in error) || error.syscall !== 'kill') reject(error);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + os.signals[signal ?? 'SIGTERM']));
  });
  return running.catch(failing(`${shell ?? command} cannot be run`, hint)).finally(() => {
    ended.abort();
    delete signals.passOn;
  });
}
