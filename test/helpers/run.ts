/** Runs svc in this process in the environment that a test gives it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/main.js';
import { systemClock, type Clock } from '../../src/lib/clock.js';

export interface RunOptions {
  /** True: stdin, stdout and stderr are terminals; or say which. */
  tty?: boolean | { stdin?: boolean; stdout?: boolean; stderr?: boolean };
  /** What is piped in; a stream for a person who types. */
  stdin?: string | Uint8Array | Readable;
  /** What a person types, each as soon as stderr shows the words before it. */
  typed?: readonly (readonly [shown: string, keys: string])[];
  env?: Record<string, string | undefined>;
  /** Terminals take colours; otherwise NO_COLOR is set. */
  colour?: boolean;
  /** The folder of settings and data; when absent, an empty one for this run alone. */
  home?: string;
  clock?: Clock;
  signal?: AbortSignal;
  columns?: number;
  /** Told of each piece that the stream is given. */
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
}

export interface RunResult {
  stdout: string;
  stdoutBytes: Buffer;
  stderr: string;
  code: number;
}

/** What a run is that ends with this exit code, prints nothing and says all of this on stderr. */
export const fails = (code: number, ...words: string[]) => ({
  code,
  stdout: '',
  stderr: says(words),
});

function says(words: readonly string[]) {
  const asymmetricMatch = (text: string) => words.every((one) => text.includes(one));
  return { asymmetricMatch, toString: () => 'says', toAsymmetricMatcher: () => words.join(' … ') };
}

/** The JSON that a run prints. */
export async function jsonOf(run: Promise<{ readonly stdout: string }>): Promise<unknown> {
  return JSON.parse((await run).stdout);
}

/** @param line the words after `svc`: a list, or one line split at spaces outside quotes. */
export async function run(
  line: string | readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const tty = options.tty ?? false;
  const isTerminal = (name: 'stdin' | 'stdout' | 'stderr') =>
    typeof tty === 'boolean' ? tty : (tty[name] ?? false);
  const stdout = new Collector(isTerminal('stdout'), options.columns ?? 100);
  const stderr = new Collector(isTerminal('stderr'), options.columns ?? 100);
  if (options.onStdout) stdout.onText = options.onStdout;
  if (options.onStderr) stderr.onText = options.onStderr;
  const stdin = inputFrom(options.typed ? new PassThrough() : options.stdin, isTerminal('stdin'));
  if (options.typed && stdin instanceof PassThrough) typeInto(stdin, stderr, options.typed);
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'svc-test-'));
  const code = await main({
    argv: typeof line === 'string' ? words(line) : line,
    env: { SVC_CONFIG_DIR: home, NO_COLOR: options.colour ? '' : '1', ...options.env },
    stdin,
    stdout,
    stderr,
    clock: options.clock ?? systemClock,
    version: '0.0.0-test',
    signal: options.signal ?? new AbortController().signal,
  });
  if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  return {
    stdout: stdout.bytes.toString('utf8'),
    stdoutBytes: stdout.bytes,
    stderr: stderr.bytes.toString('utf8'),
    code,
  };
}

function typeInto(
  stdin: PassThrough,
  stderr: Collector,
  typed: NonNullable<RunOptions['typed']>,
): void {
  const answers = [...typed];
  stderr.onText = (text) => {
    const [shown, keys] = answers[0] ?? [];
    if (shown === undefined || keys === undefined || !text.includes(shown)) return;
    answers.shift();
    // The prompt listens from the turn after it is drawn.
    setImmediate(() => stdin.write(keys));
  };
}

/** Splits a line as a shell would, as far as spaces, '…' and "…" go. */
export function words(line: string): string[] {
  return Array.from(line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double ?? single ?? '',
    ),
  );
}

class Collector extends Writable {
  private readonly pieces: Buffer[] = [];
  readonly isTTY: boolean;
  /** As the real streams have it: whoever is piped into them does not end them. */
  readonly _isStdio = true;
  onText: (text: string) => void = () => undefined;

  constructor(
    isTerminal: boolean,
    readonly columns: number,
  ) {
    super();
    this.isTTY = isTerminal;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }

  // What a terminal's stream has, and a spinner draws with.
  cursorTo(x: number): boolean {
    return cursorTo(this, x);
  }

  clearLine(direction: -1 | 0 | 1): boolean {
    return clearLine(this, direction);
  }

  moveCursor(dx: number, dy: number): boolean {
    return moveCursor(this, dx, dy);
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(Buffer.from(piece));
    this.onText(piece.toString());
    done();
  }
}

function inputFrom(
  input: string | Uint8Array | Readable | undefined,
  isTTY: boolean,
): Readable & { isTTY?: boolean } {
  const stream =
    input instanceof Readable
      ? input
      : Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  return Object.assign(input === undefined && isTTY ? new PassThrough() : stream, { isTTY });
}
