/** The real process around `main`: its streams, its signals, its exit code. */
import { fstatSync, statSync } from 'node:fs';
import { systemClock } from '../lib/clock.js';
import type { Signals } from '../lib/signals.js';
import { exits } from '../exit-codes.js';
import { fileStream, isFile, type OutputStream } from '../terminal/writer.js';
import { Interrupted } from '../errors.js';
import { main } from './main.js';

/** How long a command may take to say how to resume before a signal ends it anyway. */
const grace = { ms: 1000 };

type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGQUIT';

export async function runProcess(version: string): Promise<void> {
  const interrupt = new AbortController();
  let caught: EndingSignal | undefined;
  const signals: Signals = {};
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
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGQUIT', onSignal);
  process.on('SIGHUP', () => {
    // A closed terminal may send it twice.
    if (signals.passOn) signals.passOn('SIGHUP');
    else if (!caught && hasTerminal()) onSignal('SIGTERM');
  });
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

/**
 * Whether one of the standard streams was opened as a terminal: then svc ends with it. Otherwise it
 * may run under nohup, whose wish to ignore the hang-up Node resets. isatty says no once it is closed.
 */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  const { rdev: nothing } = statSync('/dev/null');
  return [0, 1, 2].some((stream) => {
    const stats = fstatSync(stream);
    return stats.isCharacterDevice() && stats.rdev !== nothing;
  });
}

/** Ends the process by the signal itself, so that a shell loop around it stops too. */
function raise(signal: EndingSignal): void {
  // What restores the terminal, and ends other programs, waits for it.
  process.emit('exit', exits.terminated[0]);
  // There a signal would end it with exit code 1.
  if (process.platform === 'win32')
    process.exit(exits[signal === 'SIGINT' ? 'interrupted' : 'terminated'][0]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
