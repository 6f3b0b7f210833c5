import { PassThrough } from 'node:stream';
import { program } from '../../src/cli/main.js';
import { makeContext } from '../../src/cli/make-context.js';
import { globalFlagsFrom } from '../../src/global-flags.js';
import { systemClock, type Clock } from '../../src/lib/clock.js';
import { stage } from '../terminal/screens.js';

interface Given {
  flags?: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, string>>;
  clock?: Clock;
  signal?: AbortSignal;
}

/** What the code of a command gets, over streams in memory. */
export function contextOver(given: Given) {
  const {
    flags = {},
    env = {},
    clock = systemClock,
    signal = new AbortController().signal,
  } = given;
  const { out, stderr } = stage({ tty: false });
  const stdin = new PassThrough();
  const run = { stdin, stderr, env, clock, version: '0' };
  return {
    context: makeContext(run, { flags: globalFlagsFrom(flags), out, program, signal }),
    stdin,
    stderr,
  };
}
