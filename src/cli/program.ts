/** Builds commander's parser from the declarations. Only the program files know commander. */
import { Command } from 'commander';
import type { Command as CommandDeclaration, Entry } from './declaration.js';
import { headings } from './declaration.js';
import type { ParsedOptions } from './globals.js';
import { commandsFirst, exampleText, rootExamples, termOf } from './program-help.js';
import {
  addGlobals,
  globals,
  globalsGiven,
  ownOptions,
  toArgument,
  toOption,
} from './program-options.js';
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
