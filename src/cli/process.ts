/** The real process around `main`: its streams, its signals, its exit code. */
import { systemClock } from '../lib/clock.js';
import type { RunEnv } from './context.js';
import { exits } from './exit.js';
import { fileStream, isFile, type OutputStream } from '../terminal/writer.js';
import { Interrupted, main } from './main.js';

/** How long a command may take to say how to resume before a signal ends it anyway. */
const grace = { ms: 1000 };

type EndingSignal = 'SIGINT' | 'SIGTERM';

export async function runProcess(version: string): Promise<void> {
  const interrupt = new AbortController();
  let caught: EndingSignal | undefined;
  const signals: RunEnv['signals'] = {};
  const onSignal = (signal: EndingSignal) => {
    if (signals.passOn) {
      signals.passOn(signal);
      return;
    }
    if (caught) raise(signal);
    caught = signal;
    interrupt.abort(new Interrupted(signal));
    setTimeout(() => raise(signal), grace.ms);
  };
  let stdout: OutputStream | undefined;
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.exitCode = await main({
    argv: process.argv.slice(2),
    env: process.env,
    // Opening a stream costs 1 to 5 ms, and few commands need all three.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= isFile(1) ? fileStream(1) : process.stdout);
    },
    get stderr() {
      return process.stderr;
    },
    clock: systemClock,
    grace,
    signals,
    version,
    signal: interrupt.signal,
  });
  if (caught) raise(caught);
  // A question answered with Ctrl-C: the terminal handed over a key, not a signal.
  else if (process.exitCode === exits.interrupted[0]) raise('SIGINT');
}

/** Ends the process by the signal itself, so that a shell loop around it stops too. */
function raise(signal: EndingSignal): void {
  // There a signal would end it with exit code 1.
  if (process.platform === 'win32')
    process.exit(exits[signal === 'SIGINT' ? 'interrupted' : 'terminated'][0]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
