import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { StdinReader } from '../../src/cli/stdin.js';
import { ManualClock } from '../helpers/manual-clock.js';

interface StdinSetup {
  input?: boolean;
  refusal?: Error;
}

function stdinOver({ input = true, refusal }: StdinSetup = {}) {
  const stop = new AbortController();
  const clock = new ManualClock();
  const stream = new PassThrough();
  const notes: string[] = [];
  const note = (words: string) => void notes.push(words);
  let isOpened = false;
  const streams = {
    get stdin() {
      isOpened = true;
      return stream;
    },
  };
  const stdin = new StdinReader({
    streams,
    clock,
    signal: stop.signal,
    out: { note, warn: note },
    flags: { input, dryRun: false },
    beforePrompt: () => (refusal ? Promise.reject(refusal) : Promise.resolve()),
  });
  /** Lets time pass once somebody waits. */
  const pass = async (ms: number) => {
    while (clock.sleeping === 0) await new Promise(setImmediate);
    clock.pass(ms);
  };
  return { pass, notes, stdin, stop, stream, isOpened: () => isOpened };
}

const beside = { isBeside: true };

it('opens standard input only for what reads it', () => {
  const { isOpened, stdin } = stdinOver();
  expect(isOpened()).toBe(false);
  expect(stdin.isTerminal).toBe(false);
  expect(isOpened()).toBe(true);
});

describe('a pipe that stays open and silent', () => {
  it('is waited for after a line that names </dev/null', async () => {
    const { pass, notes, stdin, stream } = stdinOver();
    const reading = stdin.forPrompt(['hi'], beside);
    await pass(1000);
    while (notes.length === 0) await new Promise(setImmediate);
    expect(notes).toEqual(['waiting for input on stdin; to run without it, add </dev/null']);
    stream.end('late');
    expect(await reading).toEqual({ piped: 'late', prompt: 'hi' });
  });

  it('is waited for by -, and where it is the prompt', async () => {
    for (const words of [['hi', '-'], []]) {
      const { pass, notes, stdin, stream } = stdinOver({ input: false });
      const reading = stdin.forPrompt(words, beside);
      await pass(60_000);
      while (notes.length === 0) await new Promise(setImmediate);
      stream.end('late');
      expect((await reading).piped).toBe('late');
      expect(notes).toEqual([expect.stringContaining('</dev/null')]);
    }
  });

  it('loses nothing that came while the process was busy', async () => {
    const { pass, notes, stdin, stream } = stdinOver({ input: false });
    const reading = stdin.forPrompt(['hi'], beside);
    await pass(1000);
    stream.end('in time');
    expect(await reading).toEqual({ piped: 'in time', prompt: 'hi' });
    expect(notes).toEqual(['read 7 B from stdin']);
  });
});

it('is not read before what refuses the command for free', async () => {
  const { stdin, stream } = stdinOver({ refusal: new Error('no key') });
  stream.end('the list of a loop');
  await expect(stdin.forPrompt([])).rejects.toThrow('no key');
  expect(stream.readableDidRead).toBe(false);
});

it('is refused for a prompt where an option reads it', async () => {
  const { stdin } = stdinOver();
  await expect(stdin.forPrompt(['-'], { isTaken: true })).rejects.toThrow('only once');
  expect(await stdin.forPrompt(['hi'], { isTaken: true })).toEqual({ piped: '', prompt: 'hi' });
});

it('larger than any request is refused before its end', async () => {
  const { stdin, stream } = stdinOver();
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
    message: 'the piped input is more than 71.0 MB long; the limit is 71.0 MB',
  });
  expect(written).toBeLessThan(80);
  expect(stream.destroyed).toBe(true);
});

it('is not read further when svc is interrupted', async () => {
  const { stdin, stop, stream } = stdinOver();
  const bytes = stdin.bytes();
  stream.write('half');
  stop.abort();
  await expect(bytes).rejects.toThrow();
  expect(stream.destroyed).toBe(true);
});
