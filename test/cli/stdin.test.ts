import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { StdinReader } from '../../src/cli/stdin.js';
import { ManualClock } from '../helpers/manual-clock.js';

interface Given {
  input?: boolean;

  refusal?: Error;
}

function stdinOver({ input = true, refusal }: Given = {}) {
  const clock = new ManualClock();
  const stream = new PassThrough();
  const said: string[] = [];
  const say = (words: string) => void said.push(words);
  const stdin = new StdinReader(stream, {
    clock,
    signal: new AbortController().signal,
    out: { note: say, warn: say },
    flags: { input, dryRun: false },
    beforePrompt: () => (refusal ? Promise.reject(refusal) : Promise.resolve()),
  });
  /** Lets time pass once somebody waits. */
  const pass = async (ms: number) => {
    while (clock.sleeping === 0) await new Promise(setImmediate);
    clock.pass(ms);
  };
  return { clock, pass, said, stdin, stream };
}

const beside = { isBeside: true };
const notRead = 'to read it anyway, give - as the last word of the prompt';

describe('a pipe that stays open and silent', () => {
  it('is waited for after a line that names </dev/null', async () => {
    const { pass, said, stdin, stream } = stdinOver();
    const reading = stdin.forPrompt(['hi'], beside);
    await pass(1000);
    while (said.length === 0) await new Promise(setImmediate);
    expect(said).toEqual(['waiting for input on stdin; to run without it, add </dev/null']);
    stream.end('late');
    expect(await reading).toEqual({ piped: 'late', prompt: 'hi' });
  });

  it('is not waited for beside a prompt where nobody can be asked, and svc says so', async () => {
    const { pass, said, stdin } = stdinOver({ input: false });
    const reading = stdin.forPrompt(['hi'], beside);
    await pass(1000);
    expect(await reading).toEqual({ piped: '', prompt: 'hi' });
    expect(said).toEqual([`stdin was not read: nothing came in 1 s; ${notRead}`]);
  });

  it('is waited for by -, and where it is the prompt', async () => {
    for (const words of [['hi', '-'], []]) {
      const { pass, said, stdin, stream } = stdinOver({ input: false });
      const reading = stdin.forPrompt(words, beside);
      await pass(60_000);
      while (said.length === 0) await new Promise(setImmediate);
      stream.end('late');
      expect((await reading).piped).toBe('late');
      expect(said).toEqual([expect.stringContaining('</dev/null')]);
    }
  });

  it('loses nothing that came while the process was busy', async () => {
    const { pass, said, stdin, stream } = stdinOver({ input: false });
    const reading = stdin.forPrompt(['hi'], beside);
    await pass(1000);
    stream.end('in time');
    expect(await reading).toEqual({ piped: 'in time', prompt: 'hi' });
    expect(said).toEqual(['read 7 B from stdin']);
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
