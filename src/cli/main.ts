/** One run of svc: arguments in, exit code out. Everything it touches is handed to it. */
import { setMaxListeners } from 'node:events';
import { CommanderError } from 'commander';
import { entries } from '../commands/index.js';
import { noLibsql, NotSo, UsageError } from '../errors.js';
import { createOutput } from '../terminal/output.js';
import { PromptClosed, type Output } from '../terminal/types.js';
import { type OutputStream, ReaderGone } from '../terminal/writer.js';
import { type GlobalFlags, makeContext, NothingSent, type RunEnv } from './context.js';
import { longFlag, type Options } from './declaration.js';
import { type ErrorOptions, exitCodeOf, exits, writeError } from './exit.js';
import { globalFlagsFrom, globalOptions, type ParsedOptions } from './globals.js';
import { buildProgram, type Invocation } from './program.js';
import { commandIn, withHelpAsOption } from './route.js';

interface Run extends RunEnv {
  argv: readonly string[];
  stdout: OutputStream;
  signal: AbortSignal;
}

/** Ended by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export async function main(run: Run): Promise<number> {
  // A reader that is gone, or a full disk, ends all work in progress.
  const stdoutFailed = new AbortController();
  const onStdoutFailure = (failure: unknown) => stdoutFailed.abort(failure);
  const signal = AbortSignal.any([run.signal, stdoutFailed.signal]);
  // Every call of a command listens, and a command may wait for a hundred jobs.
  setMaxListeners(0, signal);
  const outputFor = (quiet: boolean) =>
    createOutput({ streams: run, env: run.env, quiet, onStdoutFailure });
  let out = outputFor(false);
  let flags: GlobalFlags | undefined;
  const endOfOptions = run.argv.indexOf('--');
  const given = endOfOptions === -1 ? run.argv : run.argv.slice(0, endOfOptions);
  let reporting: ErrorOptions = {
    json: given.includes('--json'),
    debug: Boolean(run.env['SVC_DEBUG']),
    commandHint: (words) => words,
  };
  try {
    const isCompletion = run.argv[0] === '__complete';
    if (isCompletion) await complete(run.argv, out);
    const invocation = isCompletion ? undefined : await parse(run, out, reporting.json);
    if (invocation) {
      flags = globalFlagsFrom(invocation.globals);
      if (flags.quiet) out = outputFor(true);
      const context = makeContext(run, flags, out, signal);
      const { declaration } = invocation;
      const { commandHint } = context;
      reporting = { ...reporting, json: flags.json, command: declaration, commandHint };
      assertCombinations(invocation);
      const { load, dryRun = load } = declaration;
      const command = await (flags.dryRun ? dryRun() : load());
      await command.run(context, invocation);
    }
    await out.flush();
    return exits.done[0];
  } catch (error) {
    // The reason for the abort explains it better than the errors it caused.
    const why: unknown = signal.aborted ? signal.reason : error;
    const lacksLibsql =
      why instanceof Error && why.message.includes("Cannot find module '@libsql/");
    return await end(lacksLibsql ? noLibsql(why) : why, out, run, reporting, flags);
  }
}

/** `svc __complete -- WORDS`, which no help lists. */
async function complete([, ...words]: readonly string[], out: Output): Promise<void> {
  const { candidates } = await import('../completion/candidates.js');
  const localModels = async () =>
    (await import('../service/catalog.js')).models.map(({ id }) => id);
  await out.text(
    await candidates(words[0] === '--' ? words.slice(1) : words, entries, localModels),
  );
}

async function end(
  error: unknown,
  out: Output,
  run: Run,
  reporting: ErrorOptions,
  flags: GlobalFlags | undefined,
): Promise<number> {
  try {
    if (error instanceof NothingSent) {
      await ('json' in error.shown ? out.json(error.shown.json) : out.line(error.shown.shell));
      await out.flush();
      return exits.done[0];
    }
    const isInterrupt = error instanceof Interrupted || error instanceof PromptClosed;
    const isReported = !(error instanceof ReaderGone || error instanceof NotSo || isInterrupt);
    if (isReported) writeError(error, out, reporting);
    await out.flush().catch(() => undefined);
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

async function parse(run: Run, out: Output, json: boolean): Promise<Invocation | undefined> {
  const argv = withHelpAsOption(run.argv);
  const { entries: fitting, verbs, path } = commandIn(argv);
  const asked: Invocation[] = [];
  const program = buildProgram(fitting, {
    version: run.version,
    columns: () => Math.min(out.columns, 100),
    writeOut: (text) => void out.text(text),
    // Help beside the error of an incomplete command is for people alone.
    writeErr: (text) => {
      if (out.isErrorTerminal && !json) out.error(text);
    },
    onInvocation: (invocation) => asked.push(invocation),
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { code, exitCode, message } = error;
    const needed = path[0]
      ? `svc ${path[0]} needs a verb: ${verbs.join(', ')}`
      : 'no command is named';
    // A group without a verb is a mistake: a script must not read its help as data.
    const words = code === 'commander.help' ? needed : message;
    if (exitCode !== 0) throw wrongUsage(words.replace(/^error: /, '').replace(/\n/g, ' '), path);
  }
  return asked.at(-1);
}

function wrongUsage(words: string, path: readonly string[]): UsageError {
  return new UsageError(words, { code: 'usage', hint: ['svc', ...path, '--help'].join(' ') });
}

function assertCombinations({ declaration, path, options, globals }: Invocation): void {
  const { conflicts = [], needs = [] } = declaration;
  const own = spellingsOf(declaration.options, options);
  const given = new Set([...own, ...spellingsOf(globalOptions, globals)]);
  for (const [one, ...others] of conflicts) {
    const other = given.has(one) && others.find((flag) => given.has(flag));
    if (other) throw wrongUsage(`${one} and ${other} cannot go together`, path);
  }
  for (const [one, ...others] of needs) {
    const lacks = given.has(one) && !others.some((flag) => given.has(flag));
    if (lacks) throw wrongUsage(`${one} needs ${others.join(' or ')}`, path);
  }
}

/** What is given, as declarations spell it: `--output`, `-o`, and with its value `-o -`. */
function spellingsOf(declared: Options = {}, given: ParsedOptions): string[] {
  return Object.entries(declared).flatMap(([name, option]) => {
    const isOff = option.type === 'switch' && option.negated;
    const values = [given[name]].flat().filter((value) => value !== undefined);
    if (values.length === 0 || values[0] === Boolean(isOff)) return [];
    const flags = [longFlag(name, option), `-${option.short ?? ''}`];
    const texts = values.filter((value) => typeof value === 'string');
    return flags.flatMap((flag) => [flag, ...texts.map((value) => `${flag} ${value}`)]);
  });
}
