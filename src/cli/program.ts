/** Builds commander's parser from the declarations. The only file that knows commander. */
import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../lib/duration.js';
import type {
  Argument as ArgumentDeclaration,
  Command as CommandDeclaration,
  Entry,
  Example,
  Option as OptionDeclaration,
  Options,
} from './declaration.js';
import { headings } from './declaration.js';
import { flagsOf, summaryOf } from './flags.js';
import { globalOptions, type ParsedOptions } from './globals.js';
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

export interface ProgramOptions {
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
    .configureHelp({ showGlobalOptions: true, formatHelp: commandsFirst })
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
    .enablePositionalOptions(false);
  addOptions(program, globalOptions);
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
  const firstList = blocks.findIndex((block) => /^\S+.*:\n /.test(block));
  return [
    usage,
    ...blocks.slice(0, firstList),
    ...blocks.slice(firstList).filter(isCommands),
    ...blocks.slice(firstList).filter((block) => !isCommands(block)),
  ]
    .join('\n\n')
    .concat('\n');
}

function addEntry(parent: Command, entry: Entry, options: ProgramOptions): void {
  if (!('commands' in entry)) {
    addCommand(parent, entry, [entry.name], options);
    return;
  }
  const group = parent.command(entry.name).description(entry.summary).usage('<verb> [options]');
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
  addOptions(command, declaration.options ?? {});
  if (declaration.examples) command.addHelpText('after', exampleText(declaration.examples));
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
      options: { ...emptyLists(declaration.options), ...command.opts<ParsedOptions>() },
      globals: programOf(command).opts(),
    });
  });
}

/** As commander's own defaults they would stand in help as `(default: [])`. */
function emptyLists(options: Options = {}): ParsedOptions {
  const lists = Object.entries(options).filter(([, one]) => one.type === 'text' && one.many);
  return Object.fromEntries(lists.map(([name]) => [name, []]));
}

function programOf(command: Command): Command {
  return command.parent ? programOf(command.parent) : command;
}

function addTopic(parent: Command, { name, summary, text }: Topic): void {
  const command = parent.command(name).summary(summary);
  command.configureHelp({ formatHelp: () => text() }).action(() => command.help());
}

function addOptions(command: Command, declared: Options): void {
  for (const [name, option] of Object.entries(declared)) command.addOption(toOption(name, option));
}

function toArgument({ name, summary, required, many, choices }: ArgumentDeclaration): Argument {
  const word = many ? `${name}...` : name;
  const argument = new Argument(required ? `<${word}>` : `[${word}]`, summary);
  return choices ? argument.choices(choices) : argument;
}

function toOption(name: string, declared: OptionDeclaration): Option {
  const option = new Option(flagsOf(name, declared), summaryOf(declared));
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
    const durationMs = parseDuration(text);
    if (durationMs === undefined) throw new InvalidArgumentError('It must be a time: 30s, 5m.');
    return durationMs;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { min = -Infinity, max = Infinity } = declared;
  const fits = declared.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= min && value <= max) return value;
  const noun = declared.type === 'integer' ? 'a whole number' : 'a number';
  const range =
    max !== Infinity
      ? ` from ${String(min)} to ${String(max)}`
      : min !== -Infinity
        ? ` of at least ${String(min)}`
        : '';
  throw new InvalidArgumentError(`It must be ${noun}${range}.`);
}

function exampleText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map((example) => example.command.length));
  const lines = examples.map(({ command, note }) =>
    width > 52 ? `  # ${note}\n  ${command}` : `  ${command.padEnd(width)}    ${note}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n`;
}
