/** Finds the one declaration a command line needs, so that the parser is built for it alone. */
import { entries } from '../commands/index.js';
import { kebabCase } from '../lib/names.js';
import type { Entry } from './declaration.js';
import { globalOptions } from './globals.js';
import { topics } from './topics.js';

/** The entry that the first operand names; all of them when it names none (help, mistakes). */
export function entriesFor(argv: readonly string[]): readonly Entry[] {
  const entry = entryNamed(argv[operandAt(argv)]);
  return entry ? [entry] : entries;
}

export function commandPath(argv: readonly string[]): readonly string[] {
  const at = operandAt(argv);
  const entry = entryNamed(argv[at]);
  if (!entry) return [];
  const verbs = 'commands' in entry ? entry.commands.map((verb) => verb.name) : [];
  const verb = argv.slice(at + 1).find((word) => verbs.includes(word));
  return verb === undefined ? [entry.name] : [entry.name, verb];
}

/** `help jobs list` as `jobs list --help`; a mistake goes without --help, for the parser to say what is wrong. */
export function withHelpAsOption(argv: readonly string[]): readonly string[] {
  const at = operandAt(argv);
  if (argv[at] !== 'help') return argv;
  const line = argv.toSpliced(at, 1);
  return namesNoCommand(line) ? line : [...line, '--help'];
}

function namesNoCommand(argv: readonly string[]): boolean {
  const at = operandAt(argv);
  const name = argv[at];
  if (name === undefined || topics.some((topic) => topic.name === name)) return false;
  const entry = entryNamed(name);
  if (!entry) return true;
  const verb = argv[operandAt(argv, at + 1)];
  if (verb === undefined || !('commands' in entry)) return false;
  return entry.commands.every((command) => command.name !== verb);
}

function entryNamed(name: string | undefined): Entry | undefined {
  return entries.find((entry) => entry.name === name);
}

/** Where the first operand is; behind the line when there is none. */
function operandAt(argv: readonly string[], from = 0): number {
  for (let index = from; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') return index + 1;
    if (!word.startsWith('-')) return index;
    if (takesValue.has(word)) index++;
  }
  return argv.length;
}

const takesValue: ReadonlySet<string> = new Set(
  Object.entries(globalOptions)
    .filter(([, option]) => option.type !== 'switch')
    .map(([name]) => `--${kebabCase(name)}`),
);
