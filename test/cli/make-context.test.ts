import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { globalFlagsFrom } from '../../src/cli/globals.js';
import { makeContext } from '../../src/cli/context.js';
import { systemClock } from '../../src/lib/clock.js';
import { createOutput } from '../../src/terminal/output.js';

/** A piped stdin, as the code of a command gets it. */
function piped(signal: AbortSignal) {
  const [stream, stderr] = [new PassThrough(), new PassThrough()];
  const env = {};
  const out = createOutput({
    streams: { stdout: new PassThrough(), stderr },
    env,
    quiet: false,
    onStdoutFailure: () => undefined,
  });
  const world = { stdin: stream, stderr, env, clock: systemClock, version: '0' };
  return { stream, stdin: makeContext(world, globalFlagsFrom({}), out, signal).stdin };
}

describe('stdin', () => {
  it('that is more than a request could carry is refused before its end', async () => {
    const { signal } = new AbortController();
    const { stream, stdin } = piped(signal);
    const text = stdin.text();
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    const write = () => {
      while (written < 200 && !stream.destroyed && stream.write(mebibyte)) written += 1;
    };
    stream.on('drain', write);
    write();
    await expect(text).rejects.toMatchObject({
      name: 'UsageError',
      message: 'what is piped in is more than 71.0 MB long; at most 71.0 MB are read',
    });
    expect(written).toBeLessThan(80);
    expect(stream.destroyed).toBe(true);
  });

  it('is given up when svc is interrupted', async () => {
    const stop = new AbortController();
    const { stream, stdin } = piped(stop.signal);
    const bytes = stdin.bytes();
    stream.write('half');
    stop.abort();
    await expect(bytes).rejects.toThrow();
    expect(stream.destroyed).toBe(true);
  });
});
