/** Builds commander's parser from the declarations. */
import { Command, Argument, InvalidArgumentError, Option, Help } from 'commander';
import { parseDuration } from '../lib/duration.js';
import {
  type Command as CommandDeclaration,
  type Entry,
  headings,
  type Option as OptionDeclaration,
  type Options,
  exampleParts,
  flagsOf,
  summaryOf,
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

interface ProgramOptions {
  version: string;
  columns: () => number;
  writeOut: (text: string) => unknown;
  writeErr: (text: string) => void;
  onInvocation: (invocation: Invocation) => unknown;
}

/** The parser for `entries`; commander throws CommanderError instead of ending the process. */
export function buildProgram(entries: readonly Entry[], options: ProgramOptions): Command {
  const program = new Command('svc')
    .description('Language models, media, search and support from the command line.')
    .usage('<command> [options]')
    .version(options.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ formatHelp: commandsFirst, subcommandTerm: termOf })
    .configureOutput({
      writeOut: options.writeOut,
      writeErr: options.writeErr,
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: options.columns,
      getErrHelpWidth: options.columns,
    })
    .exitOverride()
    .enablePositionalOptions();
  addGlobals(program);
  for (const heading of headings) {
    const own = entries.filter((entry) => entry.heading === heading);
    if (own.length > 0) program.commandsGroup(`${heading}:`);
    for (const entry of own) addEntry(program, entry, options);
  }
  program.commandsGroup('Help:');
  program.helpCommand('help [command]', 'show help for a command or a topic');
  for (const { name, summary, text } of topics) {
    const topic = program.command(name).summary(summary).configureHelp({ formatHelp: text });
    topic.action(() => topic.help());
  }
  program.addHelpText('after', rootExamples);
  return program;
}

function addEntry(parent: Command, entry: Entry, options: ProgramOptions): void {
  if (!('commands' in entry)) {
    addCommand(parent, entry, [entry.name], options);
    return;
  }
  const group = parent
    .command(entry.name)
    .description(entry.summary)
    .usage('<verb> [options]')
    .enablePositionalOptions();
  addGlobals(group);
  for (const verb of entry.commands) addCommand(group, verb, [entry.name, verb.name], options);
  group.helpCommand(false);
}

function addCommand(
  parent: Command,
  declaration: CommandDeclaration,
  path: readonly string[],
  { onInvocation }: ProgramOptions,
): void {
  const { args = [], examples, loadHelp, name, options, summary } = declaration;
  const command = parent
    .command(name)
    .summary(summary)
    .description(declaration.description ?? summary)
    .showHelpAfterError(false)
    .allowExcessArguments(false);
  for (const { name, summary, required, many, choices } of args) {
    const word = many ? `${name}...` : name;
    const argument = new Argument(required ? `<${word}>` : `[${word}]`, summary);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const [own, option] of Object.entries(options ?? {})) {
    command.addOption(toOption(own, option));
  }
  addGlobals(command);
  if (examples) command.addHelpText('after', exampleText(examples));
  const given = () => ({
    path,
    options: ownOptions(command, options),
    globals: globalsGiven(command),
  });
  command.action(() => {
    const values = args.map((argument, index): [string, unknown] => [
      argument.name,
      command.processedArgs[index] ?? (argument.many ? [] : undefined),
    ]);
    onInvocation({ ...given(), declaration, args: Object.fromEntries(values) });
  });
  if (!loadHelp) return;
  // Help that needs a request is run, like a command, after the static help is shown.
  command.addHelpText('after', () => {
    const operand = command.args.find((word) => !word.startsWith('-'));
    const [first] = args;
    if (operand !== undefined && first) {
      const asking = { ...declaration, load: loadHelp, conflicts: [], needs: [] };
      onInvocation({ ...given(), declaration: asking, args: { [first.name]: operand } });
    }
    return '';
  });
}

function toOption(name: string, declared: OptionDeclaration, Kind = Option): Option {
  const option = new Kind(flagsOf(name, declared), summaryOf(declared));
  if (declared.heading) option.helpGroup(`${declared.heading}:`);
  if (declared.hidden) option.hideHelp();
  if (declared.type === 'switch') return option;
  if (declared.type !== 'text') return option.argParser((text) => parseQuantity(text, declared));
  const { choices, many } = declared;
  if (choices) option.choices(choices);
  if (!many) return option;
  return option.argParser((value: string, previous: readonly string[] | undefined) => {
    if (choices && !choices.includes(value)) {
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    }
    return [...(previous ?? []), value];
  });
}

type Quantity = Exclude<OptionDeclaration, { type: 'switch' | 'text' }>;

function parseQuantity(text: string, { type, min = -Infinity, max = Infinity }: Quantity) {
  if (type === 'duration') {
    const durationMs = parseDuration(text, min === 0);
    if (durationMs === undefined) throw new InvalidArgumentError('It must be a time: 30s, 5m.');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) throw new InvalidArgumentError(`It must be ${String(min)}.`);
  const noun = type === 'integer' ? 'a whole number' : 'a number';
  const least = min === -Infinity ? '' : ` of at least ${String(min)}`;
  const range = max === Infinity ? least : ` from ${String(min)} to ${String(max)}`;
  throw new InvalidArgumentError(`It must be ${noun}${range}.`);
}

const globalTitle = 'Global Options:';
const globalPrefix = 'global ';

/** An option that means the same everywhere; its value keeps apart from a command's own. */
class GlobalOption extends Option {
  override attributeName(): string {
    return globalPrefix + super.attributeName();
  }
}

/** On each command: on the program, it would also match the values of unknown options. */
function addGlobals(command: Command): void {
  for (const [name, declared] of Object.entries<OptionDeclaration>(globalOptions)) {
    const option = toOption(name, declared, GlobalOption);
    command.addOption(command.parent ? option.helpGroup(globalTitle) : option);
  }
}

/** The values of a command's own options; those that may be repeated are never absent. */
function ownOptions(command: Command, declared: Options = {}): ParsedOptions {
  // As commander's own defaults the empty lists would stand in help as `(default: [])`.
  const lists = Object.entries(declared).filter(([, one]) => one.type === 'text' && one.many);
  const given = Object.entries(command.opts<ParsedOptions>()).filter(
    ([name]) => !name.startsWith(globalPrefix),
  );
  return Object.fromEntries([...lists.map(([name]) => [name, []] as const), ...given]);
}

function globalsGiven(command: Command): ParsedOptions {
  const given = Object.entries(command.opts<ParsedOptions>())
    .filter(([name]) => command.getOptionValueSource(name) === 'cli')
    .filter(([name]) => name.startsWith(globalPrefix))
    .map(([name, value]) => [name.slice(globalPrefix.length), value] as const);
  const before = command.parent ? globalsGiven(command.parent) : {};
  return { ...before, ...Object.fromEntries(given) };
}

const rootExamples = `
Examples:
  svc --local chat "How do I keep costs down?"    try it offline, no account
  svc login                                       store a base URL and a key
  cat error.log | svc chat "why?"                 piped text comes first
  svc chat --json "hi" | jq .cost                 data on stdout, words on stderr
`;

/** Commands come before options, so that they fit a screen without scrolling. */
function commandsFirst(command: Command, help: Help): string {
  const blocks = new Help().formatHelp(command, help).trimEnd().split('\n\n');
  const titles = new Set(['Commands', 'Help', ...headings].map((title) => `${title}:`));
  const rank = (block: string) => {
    const [title = ''] = block.split('\n', 1);
    if (titles.has(title)) return 1;
    if (title === globalTitle) return 3;
    return /^\S+.*:\n /.test(block) ? 2 : 0;
  };
  return `${blocks.toSorted((one, other) => rank(one) - rank(other)).join('\n\n')}\n`;
}

/** `show [options] <id>`; options that every command takes are left out. */
function termOf(command: Command): string {
  const term = new Help().subcommandTerm(command);
  const hasOwn = command.options.some((option) => !(option instanceof GlobalOption));
  return hasOwn ? term : term.replace(' [options]', '');
}

function exampleText(examples: readonly string[]): string {
  const parts = examples.map(exampleParts);
  const width = Math.max(...parts.map(([command]) => command.length));
  const lines = parts.map(([command, note]) =>
    width > 52 ? `  # ${note}\n  ${command}` : `  ${command.padEnd(width)}    ${note}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n`;
}
