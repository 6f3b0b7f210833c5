/** Finds the one declaration a command line needs, so that the parser is built for it alone. */
import { entries } from '../commands/index.js';
import { longFlag, type Entry, type Option } from './declaration.js';
import { globalOptions } from './globals.js';
import { topics } from './topics.js';

/** The entry that the first operand names, or all of them (help, mistakes), and the command's path. */
export function commandIn(argv: readonly string[]) {
  const at = operandAt(argv);
  const entry = entries.find(({ name }) => name === argv[at]);
  const verbs = entry && 'commands' in entry ? entry.commands.map(({ name }) => name) : [];
  const verb = argv.slice(at + 1).find((word) => verbs.includes(word));
  const path = [entry?.name, verb].filter((name) => name !== undefined);
  const fitting: readonly Entry[] = entry ? [entry] : entries;
  return { at, entries: fitting, verbs, path };
}

/** `help jobs list` as `jobs list --help`; a mistake goes without --help, for the parser to report. */
export function withHelpAsOption(argv: readonly string[]): readonly string[] {
  const helpAt = operandAt(argv);
  if (argv[helpAt] !== 'help') return argv;
  const line = argv.toSpliced(helpAt, 1);
  const { at, verbs, path } = commandIn(line);
  const operand = line[path.length === 0 ? at : operandAt(line, at + 1)];
  const known = path.length === 0 ? topics.map(({ name }) => name) : verbs;
  const isMistake = operand !== undefined && !known.includes(operand);
  const takesOperands = path.length > 0 && verbs.length === 0;
  return isMistake && !takesOperands ? line : [...line, '--help'];
}

/** Where the first operand is; behind the line when there is none. */
function operandAt(argv: readonly string[], from = 0): number {
  for (let index = from; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1;
    if (!word.startsWith('-')) return index;
    if (globalsWithValue.includes(word)) index++;
  }
  return argv.length;
}

const globalsWithValue = Object.entries<Option>(globalOptions).flatMap(([name, option]) =>
  option.type === 'switch' ? [] : [longFlag(name, option)],
);
