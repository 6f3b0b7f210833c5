/** What a command gets, as interfaces; cli/ makes it. */
import type { Readable } from 'node:stream';
import type { Caching } from './api/cached.js';
import type { Client } from './api/client.js';
import type { CommandMap } from './command-map.js';
import type { Line, ParsedLine } from './command-line.js';
import type { Command, Entry, Input, InputOf } from './command.js';
import type { GlobalFlags } from './global-flags.js';
import type { Clock, TimeLimit } from './lib/clock.js';
import type { Env } from './lib/env.js';
import type { Signals } from './lib/signals.js';
import type { Around, RunSpending } from './spending/spending.js';
import type { Paths } from './state/paths.js';
import type { Settings } from './state/settings.js';
import type { Prompts } from './terminal/prompt.js';
import type { Output } from './terminal/types.js';
import type { OutputStream } from './terminal/writer.js';

export type { GlobalFlags } from './global-flags.js';

export interface Context {
  readonly out: Output;
  readonly stdin: Stdin;
  readonly flags: GlobalFlags;
  readonly env: Env;
  readonly clock: Clock;
  readonly version: string;
  readonly signal: AbortSignal;
  /** --timeout; none where each part of a command has all of it. */
  timeLimit: TimeLimit | undefined;
  readonly paths: Paths;
  readonly prompts: Prompts;
  /** svc itself, for commands that read or run lines of it. */
  readonly program: Program;
  /** Makes commands in words of svc's own reach the service, and the account, of this run. */
  readonly commandHint: (words: string) => string;
  /** Shows an error after which the command goes on. */
  readonly report: (error: unknown) => Promise<void>;
  /** Flag over environment over profile; throws ConfigError when the config file is broken. */
  readonly settings: () => Settings;
  /** The same, with the key from the keychain or the key command where it is there. */
  readonly keyed: () => Promise<Settings>;
  readonly client: (needs?: ClientNeeds) => Promise<Client>;
  /** Set when a client is made, where a ceiling or a budget is set. */
  readonly spending: {
    ofRun?: RunSpending;
    /** Of a call of svc mcp. */
    readonly within?: CallSpending;
  };
  /** The answers of earlier commands, where this one may take them. */
  readonly caching: Caching;
  /** How long the command may take to end after Ctrl-C; one may set it longer. */
  readonly grace: { ms: number };
  /** For a program that runs in place of svc. */
  readonly signals: Signals;
}

/** What limits a call of `svc mcp` beside its own ceiling and the budgets. */
export interface CallSpending {
  /** Whether anything does. */
  readonly isLimited: boolean;
  readonly open: () => Promise<Around>;
}

/** The code of a command. */
export interface Loaded {
  // A method, so that a handler typed by its own declaration is accepted here.
  run(context: Context, input: Input): Promise<void>;
}

export type Handler<D extends Command> = (context: Context, input: InputOf<D>) => Promise<void>;

export interface ClientNeeds {
  readonly key?: 'required' | 'optional';
  /** Used in place of the settings in force: what `login` verifies before it stores anything. */
  readonly as?: { readonly baseUrl: URL; readonly key: string; readonly brand: string };
  /** Nothing is sent, since a tape answers: no address and no key are needed, and no ceiling holds. */
  readonly isOffline?: boolean;
}

/** Standard input. It may be somebody else's: the list of a loop, or a pipe that is never written. */
export interface Stdin {
  readonly isTerminal: boolean;
  /** Piece by piece as it comes; the next is read when it is asked for. `until` ends it. */
  readonly pieces: (until?: AbortSignal) => AsyncIterable<Buffer>;
  /** The same where the other side may be silent for as long as it likes. */
  readonly conversation: () => AsyncIterable<Buffer>;
  /** All of it, to its end. @throws UsageError for more than a request takes */
  readonly bytes: () => Promise<Buffer>;
  /** The same as text. @throws UsageError for what is not UTF-8 */
  readonly text: () => Promise<string>;
  /** The words of a prompt, and what is piped in for it. @throws UsageError */
  readonly forPrompt: (
    words: readonly string[],
    use?: PromptUse,
  ) => Promise<{ readonly piped: string; readonly prompt: string }>;
}

export interface PromptUse {
  /** An option reads it, so a prompt cannot. */
  readonly isTaken?: boolean;
  /** Whether it is read beside the words, without a `-`. */
  readonly isBeside?: boolean;
  /** Whether the request is complete without it, also without words. */
  readonly isOptional?: boolean;
}

/** The stream itself; the one of the process has the descriptor 0. */
export type StdinStream = Readable & { isTTY?: boolean; fd?: number; unref?: () => unknown };

/** svc as a whole: its commands, how it reads a line, and how it runs one. */
export interface Program {
  readonly entries: readonly Entry[];
  /** Which command the words name, with its options and operands as they were typed. */
  readonly route: (words: readonly string[]) => Line;
  /** The same with the values checked, among other commands than those of svc. */
  readonly parse: (words: readonly string[], entries: readonly Entry[]) => ParsedLine;
  /** What `svc help --json` prints. */
  readonly map: (version: string) => Promise<CommandMap>;
  /** The code of a command, to be run as a part of another. */
  readonly load: (path: readonly string[]) => Promise<Loaded>;
  /** Runs a line in this process. @returns its exit code */
  readonly run: (run: Run) => Promise<number>;
}

export interface RunEnv {
  stdin: StdinStream;
  stderr: OutputStream;
  env: Env;
  clock: Clock;
  version: string;
  grace?: { ms: number };
  /** Of several runs together; who hands it over ends it. */
  spending?: Context['spending'];
  signals?: Signals;
}

/** One run of svc: everything that it touches. */
export interface Run extends RunEnv {
  argv: readonly string[];
  stdout: OutputStream;
  signal: AbortSignal;
  /** Flags that are not on the line; they come first. */
  flags?: Partial<GlobalFlags>;
  /** Gets what a spinner would show. */
  onProgress?: (words: string) => void;
}
