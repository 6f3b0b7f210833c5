/** Builds commander's parser from the declarations. Only the program files know commander. */
import { Command, Argument, InvalidArgumentError, Option, Help } from 'commander';
import { parseDuration } from '../lib/duration.js';
import {
  type Command as CommandDeclaration,
  type Entry,
  headings,
  type Argument as ArgumentDeclaration,
  type Option as OptionDeclaration,
  type Options,
  type Example,
  flagsOf,
  summaryOf,
} from './declaration.js';
import { type ParsedOptions, globalOptions } from './globals.js';
import { topics, type Topic } from './topics.js';

/** What the command line asked for. */
export interface Invocation {
  /** `['config', 'get']`. */
  path: readonly string[];
  declaration: CommandDeclaration;
  args: Readonly<Record<string, unknown>>;
  options: ParsedOptions;
  globals: ParsedOptions;
}

interface ProgramOptions {
  version: string;
  /** The width of help; asked for only when help is shown. */
  columns: () => number;
  writeOut: (text: string) => void;
  writeErr: (text: string) => void;
  onInvocation: (invocation: Invocation) => Promise<void>;
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
      // Usage errors are told by cli/exit.ts, like every other error.
      outputError: () => undefined,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: options.columns,
      getErrHelpWidth: options.columns,
    })
    .exitOverride()
    .enablePositionalOptions();
  for (const option of globals()) program.addOption(option);
  for (const heading of headings) {
    const own = entries.filter((entry) => entry.heading === heading);
    if (own.length > 0) program.commandsGroup(`${heading}:`);
    for (const entry of own) addEntry(program, entry, options);
  }
  program.commandsGroup('Help:');
  program.helpCommand('help [command]', 'show help for a command or a topic');
  for (const topic of topics) addTopic(program, topic);
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
  options: ProgramOptions,
): void {
  const command = parent
    .command(declaration.name)
    .summary(declaration.summary)
    .description(declaration.description ?? declaration.summary)
    .showHelpAfterError(false)
    .allowExcessArguments(false);
  const args = declaration.args ?? [];
  for (const argument of args) command.addArgument(toArgument(argument));
  const declared = Object.entries(declaration.options ?? {});
  for (const [name, option] of declared) command.addOption(toOption(name, option));
  addGlobals(command);
  if (declaration.examples) command.addHelpText('after', exampleText(declaration.examples));
  if (declaration.loadHelp) addMoreHelp(command, declaration, declaration.loadHelp, options);
  command.action(async () => {
    await options.onInvocation({
      path,
      declaration,
      args: Object.fromEntries(
        args.map((argument, index): [string, unknown] => [
          argument.name,
          command.processedArgs[index] ?? (argument.many ? [] : undefined),
        ]),
      ),
      options: ownOptions(command, declaration.options),
      globals: globalsGiven(command),
    });
  });
}

/** Help that is known only by asking: it is run, like a command, after the help is shown. */
function addMoreHelp(
  command: Command,
  declaration: CommandDeclaration,
  load: CommandDeclaration['load'],
  { onInvocation }: ProgramOptions,
): void {
  command.addHelpText('after', () => {
    const operand = command.args.find((word) => !word.startsWith('-'));
    const [first] = declaration.args ?? [];
    if (operand !== undefined && first) {
      void onInvocation({
        path: [declaration.name],
        declaration: { ...declaration, load, conflicts: [], needs: [] },
        args: { [first.name]: operand },
        options: ownOptions(command, declaration.options),
        globals: globalsGiven(command),
      });
    }
    return '';
  });
}

function addTopic(parent: Command, { name, summary, text }: Topic): void {
  const command = parent.command(name).summary(summary);
  command.configureHelp({ formatHelp: () => text() }).action(() => command.help());
}

/** An argument, shown as `<name>`, `[name]` or `[name...]`. */
function toArgument({ name, summary, required, many, choices }: ArgumentDeclaration): Argument {
  const word = many ? `${name}...` : name;
  const argument = new Argument(required ? `<${word}>` : `[${word}]`, summary);
  return choices ? argument.choices(choices) : argument;
}

/** An option that parses and checks its value. */
function toOption(name: string, declared: OptionDeclaration, Kind = Option): Option {
  const option = new Kind(flagsOf(name, declared), summaryOf(declared));
  if (declared.heading) option.helpGroup(`${declared.heading}:`);
  if (declared.hidden) option.hideHelp();
  if (declared.type === 'switch') return option;
  if (declared.type === 'text') {
    if (declared.choices) option.choices(declared.choices);
    if (!declared.many) return option;
    return option.argParser((value: string, previous: readonly string[] | undefined) => {
      if (declared.choices && !declared.choices.includes(value)) {
        throw new InvalidArgumentError(`Allowed choices are ${declared.choices.join(', ')}.`);
      }
      return [...(previous ?? []), value];
    });
  }
  return option.argParser((text) => parseQuantity(text, declared));
}

function parseQuantity(
  text: string,
  declared: Exclude<OptionDeclaration, { type: 'switch' | 'text' }>,
) {
  if (declared.type === 'duration') {
    const durationMs = parseDuration(text, declared.canBeZero);
    if (durationMs === undefined) throw new InvalidArgumentError('It must be a time: 30s, 5m.');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { min = -Infinity, max = Infinity } = declared;
  const fits = declared.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  if (min === max) throw new InvalidArgumentError(`It must be ${String(min)}.`);
  const noun = declared.type === 'integer' ? 'a whole number' : 'a number';
  const range =
    max !== Infinity
      ? ` from ${String(min)} to ${String(max)}`
      : min !== -Infinity
        ? ` of at least ${String(min)}`
        : '';
  throw new InvalidArgumentError(`It must be ${noun}${range}.`);
}

/** The heading under which a command lists the options that all commands have. */
const globalTitle = 'Global Options:';
const globalPrefix = 'global ';

/** An option that means the same everywhere; its value keeps apart from a command's own. */
class GlobalOption extends Option {
  override attributeName(): string {
    return globalPrefix + super.attributeName();
  }
}

/** The options that mean the same everywhere. */
function globals(): Option[] {
  return Object.entries<OptionDeclaration>(globalOptions).map(([name, declared]) =>
    toOption(name, declared, GlobalOption),
  );
}

/**
 * Each command takes the global options itself. Were they the program's alone, it would look for
 * them in all that follows, also in the values of options that it does not know.
 */
function addGlobals(command: Command): void {
  for (const option of globals()) command.addOption(option.helpGroup(globalTitle));
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

/** What was given before, within and after the command; the last counts. */
function globalsGiven(command: Command): ParsedOptions {
  const given = Object.entries(command.opts<ParsedOptions>())
    .filter(([name]) => command.getOptionValueSource(name) === 'cli')
    .filter(([name]) => name.startsWith(globalPrefix))
    .map(([name, value]) => [name.slice(globalPrefix.length), value] as const);
  const before = command.parent ? globalsGiven(command.parent) : {};
  return { ...before, ...Object.fromEntries(given) };
}

/** The end of the general help. */
const rootExamples = `
Examples:
  svc --local chat "How do I keep costs down?"    try it offline, no account
  svc login                                       store a base URL and a key
  cat error.log | svc chat "why?"                 piped text comes first
  svc chat --json "hi" | jq .cost                 data on stdout, words on stderr
`;

/** What one can do comes before how: a screen shows the commands without scrolling. */
function commandsFirst(command: Command, help: Help): string {
  const [usage = '', ...blocks] = new Help().formatHelp(command, help).trimEnd().split('\n\n');
  const titles = new Set(['Commands', 'Help', ...headings].map((title) => `${title}:`));
  const isCommands = (block: string) => titles.has(block.split('\n', 1)[0] ?? '');
  const isGlobal = (block: string) => block.startsWith(globalTitle);
  const firstList = blocks.findIndex((block) => /^\S+.*:\n /.test(block));
  const lists = blocks.slice(firstList);
  return [
    usage,
    ...blocks.slice(0, firstList),
    ...lists.filter(isCommands),
    ...lists.filter((block) => !isCommands(block) && !isGlobal(block)),
    ...lists.filter(isGlobal),
  ]
    .join('\n\n')
    .concat('\n');
}

/** `show [options] <id>`; what every command takes is not worth a word. */
function termOf(command: Command): string {
  const hasOwn = command.options.some((option) => !(option instanceof GlobalOption));
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${wordOf(argument)}>` : `[${wordOf(argument)}]`,
  );
  return [command.name(), ...(hasOwn ? ['[options]'] : []), ...args].join(' ');
}

function wordOf(argument: Argument): string {
  return argument.variadic ? `${argument.name()}...` : argument.name();
}

/** The examples of a command, as they stand at the end of its help. */
function exampleText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const lines = examples.map(([command, note]) =>
    width > 52 ? `  # ${note}\n  ${command}` : `  ${command.padEnd(width)}    ${note}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n`;
}
