/** Makes what a command gets. What is costly is behind a call, and loaded when it is first asked for. */
import type { Caching } from '../api/cached.js';
import type { Client } from '../api/client.js';
import type { Invocation } from '../command-line.js';
import type { Context, RunEnv } from '../context.js';
import { TimeLimit } from '../lib/clock.js';
import { numberOf } from '../lib/json.js';
import { pathsFrom } from '../state/paths.js';
import { type Settings, loadSettings } from '../state/settings.js';
import { Prompts } from '../terminal/prompt.js';
import { textsIn } from '../texts/load.js';
import { commandHint } from './command-hint.js';
import { writeError } from './exit.js';
import { StdinReader } from './stdin.js';

export function makeContext(
  run: RunEnv,
  more: Pick<Context, 'flags' | 'out' | 'program' | 'signal'> & {
    readonly invocation?: Invocation;
  },
): Context {
  const { env, clock, version } = run;
  const { invocation, flags, out, program, signal } = more;
  const paths = pathsFrom(env);
  let settings: Settings | undefined;
  let keyed: Promise<Settings> | undefined;
  let client: Promise<Client> | undefined;
  const { timeoutMs } = flags;
  const timeLimit = timeoutMs === undefined ? undefined : new TimeLimit(timeoutMs, clock);
  const context: Context = {
    out,
    stdin: new StdinReader({
      streams: run,
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
    program,
    commandHint: commandHint(program.entries, flags),
    prompts: new Prompts(run, flags, signal, {
      isPlain: () => out.isPlain,
      words: async () => (await textsIn(out.language)).questions,
    }),
    spending: run.spending ?? {},
    caching: cachingOf(invocation),
    grace: run.grace ?? { ms: 0 },
    signals: run.signals ?? {},
    report: (error) => {
      const debug = Boolean(env['SVC_DEBUG']);
      return writeError(error, out, { json: flags.json, debug, commandHint: context.commandHint });
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

/** Whether the command may take earlier answers: not where it is to keep nothing, or to pay anew. */
function cachingOf({ declaration, options = {} }: Partial<Invocation> = {}): Caching {
  const isFresh = options['log'] === false || options['new'] === true;
  const ttlMs = numberOf(options['cache']) ?? (isFresh ? 0 : undefined);
  return { isOffered: declaration?.options?.['cache'] !== undefined, ttlMs };
}
