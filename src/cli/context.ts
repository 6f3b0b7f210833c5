/** What a handler gets. What is costly is behind a call, and loaded when it is first asked for. */
import type { Client } from '../api/client.js';
import type { RunSpending } from '../jobs/spending.js';
import { TimeLimit, type Clock } from '../lib/clock.js';
import type { Env } from '../lib/env.js';
import { type Paths, pathsFrom } from '../state/paths.js';
import { type Settings, loadSettings } from '../state/settings.js';
import { createPrompts } from '../terminal/prompt.js';
import type { Output, Prompts } from '../terminal/types.js';
import type { OutputStream } from '../terminal/writer.js';
import { commandHint } from './command-hint.js';
import { writeError } from './exit.js';
import type { GlobalFlags } from './globals.js';
import { Stdin, type StdinStream } from './stdin.js';

export type { GlobalFlags } from './globals.js';
export type { PromptUse, Stdin } from './stdin.js';

export class NothingSent extends Error {
  override readonly name = 'NothingSent';
  constructor(readonly shown: { json: unknown } | { shell: string }) {
    super('nothing was sent');
  }
}

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
  /** Makes commands in words of svc's own reach the service, and the account, of this run. */
  readonly commandHint: (words: string) => string;
  /** Shows an error after which the command goes on. */
  readonly report: (error: unknown) => void;
  /** Flag over environment over profile; throws ConfigError when the config file is broken. */
  readonly settings: () => Settings;
  /** The same, with the key from the keychain or the key command where it is there. */
  readonly keyed: () => Promise<Settings>;
  readonly client: (needs?: ClientNeeds) => Promise<Client>;
  /** Set when a client is made, where a ceiling or a budget is set. */
  readonly spending: { ofRun?: RunSpending };
  /** How long the command may take to end after Ctrl-C; one may set it longer. */
  readonly grace: { ms: number };
}

export interface ClientNeeds {
  readonly key?: 'required' | 'optional';
  /** Used in place of the settings in force: what `login` verifies before it stores anything. */
  readonly as?: { readonly baseUrl: URL; readonly key: string; readonly brand: string };
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
  /** Set while a program runs in place of svc: it gets the signals, and decides when to end. */
  signals?: { passOn?: (signal: NodeJS.Signals) => void };
}

export function makeContext(
  run: RunEnv,
  flags: GlobalFlags,
  out: Output,
  signal: AbortSignal,
): Context {
  const { env, clock, version } = run;
  const paths = pathsFrom(env);
  let settings: Settings | undefined;
  let keyed: Promise<Settings> | undefined;
  let client: Promise<Client> | undefined;
  const { timeoutMs } = flags;
  const timeLimit = timeoutMs === undefined ? undefined : new TimeLimit(timeoutMs, clock);
  const context: Context = {
    out,
    stdin: new Stdin(run.stdin, {
      clock,
      signal,
      timeLimit,
      out,
      flags,
      beforePrompt: () => context.client(),
    }),
    flags,
    env,
    clock,
    version,
    signal,
    timeLimit,
    paths,
    commandHint: commandHint(flags),
    prompts: createPrompts(run, flags, signal),
    spending: run.spending ?? {},
    grace: run.grace ?? { ms: 0 },
    report: (error) => {
      const debug = Boolean(env['SVC_DEBUG']);
      writeError(error, out, { json: flags.json, debug, commandHint: context.commandHint });
    },
    settings: () => (settings ??= loadSettings({ flags, env, paths })),
    keyed: () => (keyed ??= withKey(context)),
    client: (needs) => {
      const connected = async () => (await import('./connect.js')).connect(context, needs);
      return needs ? connected() : (client ??= connected());
    },
  };
  return context;
}

async function withKey(context: Context): Promise<Settings> {
  const settings = context.settings();
  if (settings.key !== undefined || settings.sources.key === undefined) return settings;
  const { readKey } = await import('../commands/account/key-store.js');
  return { ...settings, key: await readKey(context, settings) };
}
