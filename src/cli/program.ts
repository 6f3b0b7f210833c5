/** Parses a command line with commander, from the declarations. */
import { Argument, Command, CommanderError, type ErrorOptions, Option } from 'commander';
import { UsageError } from '../errors.js';
import { parseDuration } from '../lib/duration.js';
import { kebabCase, shellWord } from '../lib/names.js';
import {
  type Argument as ArgumentDeclaration,
  type Command as CommandDeclaration,
  type Entry,
  type Option as OptionDeclaration,
  type Options,
  flagsOf,
  longFlag,
} from './declaration.js';
import { type ParsedOptions, globalOptions } from './globals.js';
import { topics } from './topics.js';

export interface Invocation {
  path: readonly string[];
  declaration: CommandDeclaration;
  args: Readonly<Record<string, unknown>>;
  options: ParsedOptions;
  globals: ParsedOptions;
}

interface Parsed {
  /** What is to run; help that needs a request is run too, after the other help. */
  asked?: Invocation;
  /** The path of what help is asked for, or of the group that lacks a verb. */
  helped?: readonly string[];
  isVersion?: true;
  /** Why the line is wrong, in one sentence. */
  refusal?: string;
}

export function parseLine(argv: readonly string[], entries: readonly Entry[]): Parsed {
  const parsed: Parsed = {};
  const program = new Parser('svc')
    .version('', '-V, --version')
    .helpCommand(false)
    .allowExcessArguments()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .exitOverride()
    .enablePositionalOptions();
  setUp(program, [], parsed);
  for (const { name } of topics) {
    setUp(program.command(name), [name], parsed).action(() => {
      parsed.helped = [name];
    });
  }
  for (const entry of entries) {
    const command = setUp(program.command(entry.name), [entry.name], parsed);
    if (!('commands' in entry)) {
      addAction(command, entry, [entry.name], parsed);
      continue;
    }
    command.helpCommand(false);
    for (const verb of entry.commands) {
      const path = [entry.name, verb.name];
      addAction(setUp(command.command(verb.name), path, parsed), verb, path, parsed);
    }
  }
  try {
    program.parse([...argv], { from: 'user' });
    return parsed;
  } catch (error) {
    if (error instanceof UsageError) return { refusal: error.message };
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { isVersion: true };
    if (error.exitCode === 0) return parsed;
    const group = entries.find(({ name }) => name === parsed.helped?.[0]);
    const verbs = group && 'commands' in group ? group.commands.map(({ name }) => name) : [];
    const needs = group ? `svc ${group.name} needs a verb: ${verbs.join(', ')}` : undefined;
    return { ...parsed, refusal: needs ?? 'svc needs a command' };
  }
}

/** Gives a command what all of them have; help is rendered elsewhere. */
function setUp(command: Command, path: readonly string[], parsed: Parsed): Command {
  // On the program alone, the global options would also match the values of unknown options.
  for (const [name, declared] of Object.entries<OptionDeclaration>(globalOptions)) {
    command.addOption(toOption(name, declared, GlobalOption));
  }
  const formatHelp = () => {
    parsed.helped = path;
    return '';
  };
  return command.configureHelp({ formatHelp });
}

/** Reports mistakes in the words of svc's other errors. */
class Parser extends Command {
  override createCommand(name: string): Parser {
    return new Parser(name);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const [, word = '', guesses] =
      /'([^]*)'(?:\n\(Did you mean (?:one of )?(.*)\?\))?/.exec(message) ?? [];
    if (code === 'commander.optionMissingArgument') {
      throw new UsageError(`missing value: ${word.replace(/^-\w, /, '')}`);
    }
    const flag = word.replace(/=[^]*$/, '');
    if (flag !== word && this.options.some(({ long }) => long === flag)) {
      throw new UsageError(`${flag} takes no value`);
    }
    const noun = this.parent ? 'verb' : 'command';
    const isOption = code === 'commander.unknownOption';
    const unknown = isOption ? `option ${shellWord(word)}` : `${noun} ${JSON.stringify(word)}`;
    const guess = guesses && `; did you mean ${guesses.replaceAll(', ', ' or ')}?`;
    throw new UsageError(`unknown ${unknown}${guess ?? ''}`);
  }
}

function addAction(
  command: Command,
  declaration: CommandDeclaration,
  path: readonly string[],
  parsed: Parsed,
): void {
  const { args = [], loadHelp, options = {} } = declaration;
  for (const { name, many } of args) {
    command.addArgument(new Argument(many ? `[${name}...]` : `[${name}]`));
  }
  for (const [name, option] of Object.entries(options)) command.addOption(toOption(name, option));
  const given = () => ({
    path,
    options: ownOptions(command, options),
    globals: globalsGiven(command),
  });
  command.action(() => {
    const values = args.map((argument, index) =>
      valueOf(argument, command.args.slice(index), path),
    );
    const unexpected = command.args[args.at(-1)?.many ? Infinity : args.length];
    if (unexpected !== undefined)
      throw new UsageError(`too many arguments: ${JSON.stringify(unexpected)}`);
    parsed.asked = { ...given(), declaration, args: Object.fromEntries(values) };
  });
  const [first] = args;
  if (!loadHelp || !first) return;
  command.addHelpText('after', () => {
    const operand = command.args.find((word) => !word.startsWith('-'));
    const asking = { ...declaration, load: loadHelp, conflicts: [], needs: [] };
    if (operand !== undefined) {
      parsed.asked = { ...given(), declaration: asking, args: { [first.name]: operand } };
    }
    return '';
  });
}

function valueOf(
  { name, required, many, choices }: ArgumentDeclaration,
  words: readonly string[],
  path: readonly string[],
): [name: string, value: unknown] {
  const [first] = words;
  if (first === undefined && required) {
    throw new UsageError(`${['svc', ...path].join(' ')}: missing argument <${name}>`);
  }
  const values = many ? words : words.slice(0, 1);
  for (const value of values) assertChoice(`<${name}>`, value, choices);
  return [name, many ? values : first];
}

function assertChoice(what: string, value: string, choices: readonly string[] | undefined): void {
  if (!choices || choices.includes(value)) return;
  const listed = choices.join(', ');
  throw new UsageError(`${what}: ${JSON.stringify(value)} is not one of ${listed}`);
}

function toOption(name: string, declared: OptionDeclaration, Kind = Option): Option {
  const option = new Kind(flagsOf(name, declared));
  if (declared.hidden) option.hideHelp();
  if (declared.type === 'switch') return option;
  const flag = longFlag(name, declared);
  return option.argParser((value: string, previous: unknown) => {
    if (declared.type !== 'text') {
      assertOnce(flag, previous);
      return quantityIn(value, flag, declared);
    }
    assertChoice(flag, value, declared.choices);
    if (declared.many) return [previous ?? [], value].flat();
    assertOnce(flag, previous);
    return value;
  });
}

function assertOnce(flag: string, previous: unknown): void {
  if (previous !== undefined) throw new UsageError(`${flag} is given twice, but takes one value`);
}

type Quantity = Exclude<OptionDeclaration, { type: 'switch' | 'text' }>;

function quantityIn(text: string, flag: string, declared: Quantity): number {
  const { type, min = -Infinity, max = Infinity } = declared;
  const refusal = (wanted: string) =>
    new UsageError(`${flag}: ${JSON.stringify(text)} is not ${wanted}`);
  if (type === 'duration') {
    const durationMs = parseDuration(text, min === 0);
    if (durationMs === undefined) throw refusal('a duration such as 30s or 5m');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) throw refusal(String(min));
  const noun = type === 'integer' ? 'a whole number' : 'a number';
  const least = min === -Infinity ? '' : ` of at least ${String(min)}`;
  throw refusal(noun + (max === Infinity ? least : ` from ${String(min)} to ${String(max)}`));
}

const globalPrefix = 'global ';

/** An option that means the same everywhere; its value keeps apart from a command's own. */
class GlobalOption extends Option {
  override attributeName(): string {
    return globalPrefix + super.attributeName();
  }
}

/** The values of a command's own options; those that may be repeated are never absent. */
function ownOptions(command: Command, declared: Options): ParsedOptions {
  const lists = Object.entries(declared).filter(([, one]) => one.type === 'text' && one.many);
  const given = Object.entries(command.opts<ParsedOptions>()).filter(
    ([name]) => !name.startsWith(globalPrefix),
  );
  return Object.fromEntries([...lists.map(([name]) => [name, []] as const), ...given]);
}

/** The values of global options, which may stand before the command, its verb, or after them. */
function globalsGiven(command: Command): ParsedOptions {
  const before = command.parent ? globalsGiven(command.parent) : {};
  const given = Object.entries(command.opts<ParsedOptions>())
    .filter(([name]) => command.getOptionValueSource(name) === 'cli')
    .filter(([name]) => name.startsWith(globalPrefix))
    .map(([name, value]) => [name.slice(globalPrefix.length), value] as const);
  for (const [name, value] of given) {
    if (typeof value !== 'boolean') assertOnce(`--${kebabCase(name)}`, before[name]);
  }
  return { ...before, ...Object.fromEntries(given) };
}
