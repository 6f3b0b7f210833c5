/** One run of svc: arguments in, exit code out. Everything it touches is handed to it. */
import { setMaxListeners } from 'node:events';
import { CommanderError } from 'commander';
import { noLibsql, NotSo, UsageError } from '../errors.js';
import { kebabCase } from '../lib/names.js';
import { createOutput } from '../terminal/output.js';

import { PromptClosed, type Output } from '../terminal/types.js';
import { type OutputStream, ReaderGone } from '../terminal/writer.js';
import {
  type Context,
  type GlobalFlags,
  makeContext,
  NothingSent,
  type RunEnv,
} from './context.js';
import type { Command, Option } from './declaration.js';
import { exitCodeOf, writeError, exitCodes } from './exit.js';
import { globalFlagsFrom, globalOptions } from './globals.js';
import { buildProgram, type Invocation } from './program.js';
import { entries } from '../commands/index.js';
import { commandPath, entriesFor, withHelpAsOption } from './route.js';

interface Run extends RunEnv {
  /** Arguments after `svc`. */
  argv: readonly string[];
  stdout: OutputStream;
  /** Aborted when the person interrupts. */
  signal: AbortSignal;
}

/** The person, or the system, asked svc to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Resolves to the exit code; never rejects. */
export async function main(run: Run): Promise<number> {
  const stopped = new AbortController();
  // Every call of a command listens, and a command may wait for a hundred jobs.
  setMaxListeners(0, stopped.signal);
  const stop = () => stopped.abort(run.signal.reason);
  run.signal.addEventListener('abort', stop, { once: true });
  const manner: Manner = {
    json: asksForJson(run.argv),
    debug: Boolean(run.env['SVC_DEBUG']),
    onward: (words) => words,
    remember: (error) => remember(run, manner.flags, error),
  };
  // Whatever is under way works for a reader that is gone, or a disk that is full.
  const onStdoutFailure = (failure: unknown) => stopped.abort(failure);
  const outputFor = (quiet: boolean) =>
    createOutput({ streams: run, env: run.env, quiet, onStdoutFailure });
  let out = outputFor(false);
  try {
    const invocation = run.argv[0] === '__complete' ? undefined : await parse(run, out);
    if (run.argv[0] === '__complete') await complete(run.argv, out);
    if (invocation) {
      const flags = globalFlagsFrom(invocation.globals);
      manner.json = flags.json;
      manner.flags = flags;
      manner.command = invocation.declaration;
      if (flags.quiet) out = outputFor(true);
      const context = makeContext(run, flags, out, stopped.signal);
      manner.onward = context.commandHint;
      assertCombinations(invocation);
      const { load, dryRun = load } = invocation.declaration;
      const command = await (flags.dryRun ? dryRun() : load());
      await command.run(context, invocation);
    }
    await out.flush();
    return exitCodes.done;
  } catch (error) {
    // What stopped the work explains it better than how the work came apart.
    const why: unknown = stopped.signal.aborted ? stopped.signal.reason : error;
    const lacksLibsql =
      why instanceof Error && why.message.includes("Cannot find module '@libsql/");
    return await end(lacksLibsql ? noLibsql(why) : why, out, manner);
  } finally {
    run.signal.removeEventListener('abort', stop);
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

interface Manner {
  json: boolean;
  readonly debug: boolean;
  onward: Context['commandHint'];
  command?: Command;
  /** Undefined until the command line has been read. */
  flags?: GlobalFlags;
  readonly remember: (error: unknown) => Promise<void>;
}

async function end(error: unknown, out: Output, manner: Manner): Promise<number> {
  try {
    if (error instanceof NothingSent) {
      await ('json' in error.shown ? out.json(error.shown.json) : out.line(error.shown.shell));
      await out.flush();
      return exitCodes.done;
    }
    const isInterrupt = error instanceof Interrupted || error instanceof PromptClosed;
    const isTold = !(error instanceof ReaderGone || error instanceof NotSo || isInterrupt);
    if (isTold) writeError(error, out, manner);
    await out.flush().catch(() => undefined);
    if (isTold) await manner.remember(error);
    return isInterrupt ? exitCodes.interrupted : exitCodeOf(error);
  } catch (failure) {
    // Telling it failed: what could not be written decides.
    return exitCodeOf(failure);
  }
}

/** Keeps what failed for a report to support; nothing of it is loaded until something fails. */
async function remember(run: Run, flags: GlobalFlags | undefined, error: unknown): Promise<void> {
  try {
    const { rememberFailure } = await import('./last-failure.js');
    const { argv, env, version, clock } = run;
    rememberFailure({ argv, env, version, flags, atMs: clock.now() }, error);
  } catch {
    // The error itself has been told.
  }
}

/** What is to be run; undefined when it was help or the version, already given. */
async function parse(run: Run, out: Output): Promise<Invocation | undefined> {
  const asked: { invocation?: Invocation } = {};
  const argv = withHelpAsOption(run.argv);
  const program = buildProgram(entriesFor(argv), {
    version: run.version,
    columns: () => Math.min(out.columns, 100),
    writeOut: (text) => void out.text(text),
    // Help that nobody asked for, beside the error of half a command: people can go on from there.
    writeErr: (text) => {
      if (out.isErrorTerminal && !asksForJson(argv)) out.error(text);
    },
    onInvocation: (invocation) => {
      asked.invocation = invocation;
      return Promise.resolve();
    },
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Some help has more to say than is declared.
    if (error.exitCode === 0) return asked.invocation;
    throw error.code === 'commander.help' ? halfCommand(argv) : usageErrorFrom(error.message, argv);
  }
  return asked.invocation;
}

function usageErrorFrom(message: string, argv: readonly string[]): UsageError {
  return new UsageError(message.replace(/^error: /, '').replace(/\n/g, ' '), {
    code: 'usage',
    hint: ['svc', ...commandPath(argv), '--help'].join(' '),
  });
}

/** A group without a verb asks for nothing: a script must not take help for what it wanted. */
function halfCommand(argv: readonly string[]): UsageError {
  const [name] = commandPath(argv);
  const group = entriesFor(argv).find((entry) => entry.name === name);
  if (!group) return usageErrorFrom('no command is named', argv);
  const verbs = 'commands' in group ? group.commands.map((verb) => verb.name) : [];
  return usageErrorFrom(`svc ${group.name} needs a verb: ${verbs.join(', ')}`, argv);
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** @throws UsageError for the first combination that makes no sense. */
function assertCombinations(invocation: Invocation): void {
  const { conflicts = [], needs = [] } = invocation.declaration;
  const isGiven = (typed: string) => isTyped(invocation, typed);
  const problems = [
    ...conflicts.map(([one, ...others]) => {
      const other = isGiven(one) ? others.find(isGiven) : undefined;
      return other && `${one} and ${other} cannot go together`;
    }),
    ...needs.map(([one, ...others]) =>
      isGiven(one) && !others.some(isGiven) ? `${one} needs ${others.join(' or ')}` : undefined,
    ),
  ];
  const problem = problems.find((found) => found !== undefined);
  if (problem === undefined) return;
  const hint = ['svc', ...invocation.path, '--help'].join(' ');
  throw new UsageError(problem, { code: 'usage', hint });
}

/** Whether the line gives an option; `typed` is `--name`, `-n`, or either with its value. */
function isTyped({ declaration, options, globals }: Invocation, typed: string): boolean {
  const [flag = '', wanted] = typed.split(' ');
  const name = optionNamed(flag, declaration.options) ?? optionNamed(flag, globalOptions);
  if (name === undefined) throw new Error(`${declaration.name} declares no ${flag}`);
  const value = options[name] ?? globals[name];
  if (wanted !== undefined)
    return value === wanted || (Array.isArray(value) && value.includes(wanted));
  if (flag.startsWith('--no-')) return value === false;
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function optionNamed(flag: string, declared: Command['options'] = {}): string | undefined {
  const entries = Object.entries<Option>(declared);
  return entries.find(([name, option]) =>
    flag.startsWith('--')
      ? flag.replace(/^--(no-)?/, '') === kebabCase(name)
      : flag === `-${option.short ?? ''}`,
  )?.[0];
}
