/** One run of svc: arguments in, exit code out. Everything it touches is handed to it. */
import { setMaxListeners } from 'node:events';
import { entries } from '../commands/index.js';
import type { Invocation, LookUp } from '../command-line.js';
import { codeOf } from '../commands/code.js';
import type { Loaded, Program, Run } from '../context.js';
import {
  exitCodeOf,
  Incomplete,
  Interrupted,
  knownFailure,
  NothingSent,
  NegativeResult,
  ReaderGone,
  UsageError,
} from '../errors.js';
import { exits } from '../exit-codes.js';
import { systemLanguage } from '../lib/language.js';
import type { Filter } from '../terminal/filter.js';
import { pathsFrom } from '../state/paths.js';
import { loadSettings, type Settings } from '../state/settings.js';
import { TerminalOutput } from '../terminal/output.js';
import { PromptClosed, type Output } from '../terminal/types.js';
import { globalFlagsFrom, type GlobalFlags } from '../global-flags.js';
import { textsIn } from '../texts/load.js';
import { type ErrorOptions, writeError } from './exit.js';
import { makeContext } from './make-context.js';
import { parseLine } from './program.js';
import { route } from './route.js';

/** svc as a whole, for commands; what of it is large is loaded when it is asked for. */
export const program: Program = {
  entries,
  route: (words) => route(words, entries),
  parse: parseLine,
  map: async (version) => (await import('./map.js')).mapOf([], entries, version),
  load: (path) => codeOf(path).load(),
  run: main,
};

export async function main(run: Run): Promise<number> {
  // A reader that is gone, or a full disk, ends all work in progress.
  const stdoutFailed = new AbortController();
  const onStdoutFailure = (failure: unknown) => stdoutFailed.abort(failure);
  const signal = AbortSignal.any([run.signal, stdoutFailed.signal]);
  // Every call of a command listens, and a command may wait for a hundred jobs.
  setMaxListeners(0, signal);
  const outputFor = ({ quiet, header }: Pick<GlobalFlags, 'quiet' | 'header'>, filter?: Filter) => {
    const listeners = { onStdoutFailure, onProgress: run.onProgress };
    const screen = {
      isAccessible: () => screenSettings(run.env, flags).accessible === 'on',
      language: () => screenSettings(run.env, flags).language ?? systemLanguage(run.env),
    };
    const known = { quiet, header, filter, ...screen, ...listeners };
    return new TerminalOutput({ streams: run, env: run.env, ...known });
  };
  let out = outputFor({ quiet: false, header: false });
  let flags: GlobalFlags | undefined;
  let context: ReturnType<typeof makeContext> | undefined;
  let reporting: ErrorOptions = {
    // An alias changes the line.
    get json() {
      return asksForJson(run.argv);
    },
    debug: Boolean(run.env['SVC_DEBUG']),
    commandHint: (words) => words,
  };
  try {
    const isCompletion = run.argv[0] === '__complete';
    const invocation = await (isCompletion ? complete : parse)(run, out);
    if (invocation) {
      flags = { ...globalFlagsFrom(invocation.globals, run.env), ...run.flags };
      if (flags.raw || flags.jq !== undefined || flags.fields !== undefined) {
        const { jsonFilter } = await import('../terminal/filter.js');
        out = outputFor(flags, await jsonFilter(flags));
      } else if (flags.quiet || flags.header) out = outputFor(flags);
      context = makeContext(run, { flags, out, program, signal, invocation });
      const { commandHint } = context;
      reporting = { ...reporting, json: flags.json, command: invocation.declaration, commandHint };
      const command = await codeFor(invocation, flags);
      await command.run(context, invocation).catch((error: unknown) => {
        if (!(error instanceof NothingSent) || signal.aborted) throw error;
        return 'json' in error.shown ? out.json(error.shown.json) : out.line(error.shown.shell);
      });
    }
    await out.end();
    return exits.done[0];
  } catch (error) {
    // The reason for the abort explains it better than the errors it caused.
    const why: unknown = signal.aborted ? signal.reason : error;
    return await end(knownFailure(why), run, { out, flags, reporting });
  } finally {
    if (!run.spending) await context?.spending.ofRun?.end();
    if (!signal.aborted) await context?.caching.ofRun?.flush();
  }
}

/** The settings of the screen; a broken file or a missing profile leaves what the environment sets. */
function screenSettings(
  env: Run['env'],
  flags = globalFlagsFrom({}, env),
): Pick<Settings, 'accessible' | 'language'> {
  try {
    return loadSettings({ flags: { ...flags, local: true }, env, paths: pathsFrom(env) });
  } catch {
    return {};
  }
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.some((word) => /^--(?:json$|(?:jq|fields)(?:=|$))/.test(word));
}

/** `svc __complete -- WORDS`, which no help lists. */
async function complete({ argv: [, ...words], env, clock }: Run, out: Output): Promise<undefined> {
  const { candidates } = await import('./candidates.js');
  const lookUp: LookUp = async (...query) => {
    return (await import('../commands/completion/live.js')).lookUp({ env, clock }, ...query);
  };
  await out.text(await candidates(words[0] === '--' ? words.slice(1) : words, entries, lookUp));
}

/** What is known of a run when it fails; flags only where the line could be read. */
interface Known {
  readonly out: Output;
  readonly flags: GlobalFlags | undefined;
  readonly reporting: ErrorOptions;
}

async function end(error: unknown, run: Run, { out, flags, reporting }: Known): Promise<number> {
  try {
    const isInterrupt = error instanceof Interrupted || error instanceof PromptClosed;
    const isReported = !(
      error instanceof ReaderGone ||
      error instanceof NegativeResult ||
      isInterrupt
    );
    if (isReported) await writeError(error, out, reporting);
    await out.end().catch(async (failure: unknown) => {
      if (failure instanceof Incomplete) await writeError(failure, out, reporting);
    });
    if (isReported) {
      // For a report to support; nothing of it is loaded until something fails.
      const loading = import('./last-failure.js').catch(() => undefined);
      (await loading)?.rememberFailure(run, flags, error);
    }
    return isInterrupt ? exits.interrupted[0] : exitCodeOf(error);
  } catch (failure) {
    // Reporting it failed: what could not be written decides.
    return exitCodeOf(failure);
  }
}

/** A command to run; `code` is there where no command has it. */
type RunnableLine = Invocation & { readonly code?: Loaded };

async function codeFor({ code, isHelp, path }: RunnableLine, flags: GlobalFlags): Promise<Loaded> {
  if (code) return code;
  const { load, dryRun = load, loadHelp = load } = codeOf(path);
  if (isHelp) return loadHelp();
  return flags.dryRun ? dryRun() : load();
}

async function parse(run: Run, out: Output, isAlias = false): Promise<RunnableLine | undefined> {
  const line = parseLine(run.argv, entries);
  const { globalFault, globals, isFull, isHelp, isVersion, missing, path, refusal, unknown } = line;
  if (unknown && !isAlias) {
    const { aliasesIn, runExtension } = await import('./unknown-command.js');
    const words = aliasesIn(run.env).get(unknown.name);
    if (words) {
      // From now on this is the line, also for a report of its failure.
      run.argv = [...run.argv.slice(0, -1 - unknown.after.length), ...words, ...unknown.after];
      return parse(run, out, true);
    }
    const exitCode = await runExtension(run, unknown);
    if (exitCode === 0) return undefined;
    if (exitCode !== undefined) throw Object.assign(new NegativeResult(), { exitCode });
  }
  if (isVersion) {
    await out.line(run.version);
    return undefined;
  }
  const json = asksForJson(run.argv);
  if (missing !== undefined && !json && !isHelp) {
    const flags = globalFlagsFrom(globals, run.env);
    const context = makeContext(run, { flags, out, program, signal: run.signal });
    const isAsked = context.prompts.canAsk && !flags.dryRun;
    const word =
      isAsked && (await (await import('../commands/pick.js')).pick(context, missing, line));
    await context.spending.ofRun?.end();
    if (word) {
      run.argv = [...run.argv, word];
      return parse(run, out, true);
    }
  }
  const isError = refusal !== undefined;
  const help = ['svc', ...path, '--help'].join(' ');
  const hint = missing === 'model' ? `to list the models: svc models list; ${help}` : help;
  const usage = (fault: string) => new UsageError(fault, { hint });
  if (isHelp && json && !isError) {
    if (globalFault !== undefined) throw usage(globalFault);
    // Run as a command, so that the options of every command apply.
    const { mapOf } = await import('./map.js');
    const map = await mapOf(path, entries, run.version);
    const code: Loaded = { run: async ({ out }) => out.json(map) };
    const declaration = { name: 'help', summary: '' };
    return { path, declaration, isHelp: false, args: {}, options: {}, globals, code };
  }
  if (isHelp && !isError) {
    const [{ helpText }, texts] = await Promise.all([import('./help.js'), textsIn(out.language)]);
    const columns = Math.min(Math.max(out.columns, 20), 100);
    const isRoot = isFull && path.length === 0;
    const own = isRoot ? (await import('./unknown-command.js')).ownCommands(run.env) : [];
    await out.help((style) => helpText({ path, isFull, own, texts }, entries, columns, style));
  }
  if (isError) throw usage(refusal);
  return line.invocation;
}
