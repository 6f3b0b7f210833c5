/** What a handler gets. Everything costly is behind a call and loaded when it is first asked for. */
import type { Client } from '../api/client.js';
import type { Clock } from '../lib/clock.js';
import type { Paths } from '../state/paths.js';
import type { Settings } from '../state/settings.js';
import type { Output, Prompts } from '../terminal/types.js';
import type { Env } from '../lib/env.js';

/** The flags that mean the same everywhere. */
export interface GlobalFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly local: boolean;
  /** Nothing is sent: the request is shown, as JSON or, with `curl`, as a command. */
  readonly dryRun: boolean;
  readonly curl: boolean;
  readonly yes: boolean;
  /** False under --no-input. */
  readonly input: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly retryWaitMs: number | undefined;
}

export interface Stdin {
  readonly isTerminal: boolean;
  /** All of it, to its end: no timer, no cut. @throws UsageError for more than a request takes. */
  readonly bytes: () => Promise<Buffer>;
  /** All of it as UTF-8 text. */
  readonly text: () => Promise<string>;
  /** Piece by piece as it comes; the next is read when it is asked for. `until` ends it. */
  readonly pieces: (until?: AbortSignal) => AsyncIterable<Buffer>;
}

export interface Context {
  readonly out: Output;
  readonly stdin: Stdin;
  readonly flags: GlobalFlags;
  readonly env: Env;
  readonly clock: Clock;
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
  readonly paths: Paths;
  readonly prompts: Prompts;
  /** Words of svc's own that name commands: these reach the service, and account, of this run. */
  readonly onward: (words: string) => string;
  /** Flag over environment over profile; throws ConfigError when the config file is broken. */
  readonly settings: () => Settings;
  /**
   * The client for the profile in force, or the embedded service under --local.
   * @throws ConfigError when no base URL, or (unless `key` is `optional`) no key is known.
   */
  readonly client: (needs?: ClientNeeds) => Promise<Client>;
}

export interface ClientNeeds {
  readonly key?: 'required' | 'optional';
  /** Used in place of the settings in force: what `login` proves before it stores anything. */
  readonly as?: { readonly baseUrl: URL; readonly key: string; readonly brand: string };
}
