/** Runs the program of a tool: without a shell or a terminal, and nothing of it stays behind. */
import { codeOf, fileReason } from '../files/file-trouble.js';
import type { Clock } from '../lib/clock.js';
import { durationWords } from '../lib/duration.js';
import type { Env } from '../lib/env.js';
import { startProgram, stopProgram } from './child.js';
import type { ToolResult } from './tool.js';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads. */
  readonly stdin: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Further output is read, but not kept. */
  readonly maxOutputBytes: number;
  /** Output is only what it writes to stdout. */
  readonly dropsErrors?: true;
}

/** Its output, with the reason if it failed. @throws the signal's reason */
export async function runProgram(program: Program, signal: AbortSignal): Promise<ToolResult> {
  const { bytes, droppedBytes, problem } = await outputOf(program, signal);
  // Without the part of a character at which it was cut.
  const isCut = droppedBytes > 0;
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  const notes = [
    text === '' ? 'no output' : '',
    isCut ? `${droppedBytes} more bytes of output were dropped` : '',
    problem,
  ].filter((note) => note !== '');
  const lines = [text.trimEnd(), ...notes.map((note) => `[${note}]`)];
  return { text: lines.filter((line) => line !== '').join('\n'), isError: problem !== '' };
}

/** What it printed, and how it failed, or nothing. @throws the signal's reason */
export async function outputOf(program: Program, signal: AbortSignal) {
  const { clock, maxOutputBytes, timeoutMs } = program;
  signal.throwIfAborted();
  const pieces: Buffer[] = [];
  let [keptBytes, droppedBytes] = [0, 0];
  const take = (piece: Buffer) => {
    const fitting = piece.subarray(0, maxOutputBytes - keptBytes);
    // A copy: a part of a piece would keep the whole in memory.
    if (fitting.length > 0) pieces.push(Buffer.from(fitting));
    keptBytes += fitting.length;
    droppedBytes += piece.length - fitting.length;
  };
  const [late, done] = [new AbortController(), new AbortController()];
  clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const end = await ended(program, take, AbortSignal.any([signal, late.signal]));
  done.abort();
  signal.throwIfAborted();
  const problem = late.signal.aborted ? `it was stopped after ${durationWords(timeoutMs)}` : end;
  return { bytes: Buffer.concat(pieces), droppedBytes, problem };
}

/** Waits until it has ended and its output has been read. @returns how it failed, or nothing. */
function ended(
  { args, command, dropsErrors, env, stdin }: Program,
  take: (piece: Buffer) => void,
  signal: AbortSignal,
): Promise<string> {
  return new Promise<string>((resolve) => {
    const child = startProgram(command, args, env);
    const stop = () => stopProgram(child);
    signal.addEventListener('abort', stop, { once: true });
    const finish = (how: string) => {
      signal.removeEventListener('abort', stop);
      resolve(how);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', dropsErrors ? () => undefined : take);
    child.stdin.end(stdin);
    child.once('error', (error) => finish(notRun(error)));
    child.once('close', (code, killedBy) => {
      if (code === 0) finish('');
      else finish(code === null ? `it was ended by ${String(killedBy)}` : `exit code ${code}`);
    });
  }).catch(notRun);
}

function notRun(error: unknown): string {
  const hasNul = codeOf(error) === 'ERR_INVALID_ARG_VALUE';
  return `it could not be run: ${hasNul ? 'an argument contains a NUL' : fileReason(error)}`;
}
