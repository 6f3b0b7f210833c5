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

const helpFlags = ['--help', '-h'];

/**
 * The line with its question for help at the end, where the parser expects it: `help jobs list`,
 * `--help jobs list` and `jobs help list` are `jobs list --help`. A line with a mistake loses it, so
 * that the parser reports the mistake. `version` is `--version`.
 */
export function meantBy(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help'];
  const first = operandAt(argv, 0, helpFlags);
  if (argv[first] === 'version') return argv.with(first, '--version');
  const isHelp = (at: number) => ['help', ...helpFlags].includes(argv[at] ?? '');
  const isGroup = commandIn(argv).verbs.length > 0;
  const helpAt = isGroup && !isHelp(first) ? operandAt(argv, first + 1, helpFlags) : first;
  const line = isHelp(helpAt) ? argv.toSpliced(helpAt, 1) : argv;
  const { at, verbs, path } = commandIn(line);
  const operand = line[path.length === 0 ? at : operandAt(line, at + 1)];
  const known = path.length === 0 ? ['help', ...topics.map(({ name }) => name)] : verbs;
  const isMistake = operand !== undefined && !known.includes(operand);
  const takesOperands = path.length > 0 && verbs.length === 0;
  if (isMistake && !takesOperands) return line.filter((word) => !helpFlags.includes(word));
  return isHelp(helpAt) ? [...line, '--help'] : argv;
}

/** Where the first operand is, or one of these flags; behind the line when there is none. */
function operandAt(argv: readonly string[], from = 0, flags: readonly string[] = []): number {
  for (let index = from; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1;
    if (!word.startsWith('-') || flags.includes(word)) return index;
    if (globalsWithValue.includes(word)) index++;
  }
  return argv.length;
}

const globalsWithValue = Object.entries<Option>(globalOptions).flatMap(([name, option]) =>
  option.type === 'switch' ? [] : [longFlag(name, option)],
);
