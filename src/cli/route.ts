/** Finds the one declaration a command line needs, so that the parser is built for it alone. */
import { kebabCase } from '../lib/names.js';
import type { Entry } from './declaration.js';
import { entries } from '../commands/index.js';
import { globalOptions } from './globals.js';

/** The entry that the first operand names; all of them when it names none (help, mistakes). */
export function entriesFor(argv: readonly string[]): readonly Entry[] {
  const name = firstOperand(argv);
  const entry = entries.find((candidate) => candidate.name === name);
  return entry ? [entry] : entries;
}

/** The names of the command that a command line means, as far as they are right. */
export function commandPath(argv: readonly string[]): readonly string[] {
  const name = firstOperand(argv);
  const entry = entries.find((candidate) => candidate.name === name);
  if (!entry) return [];
  const verbs = 'commands' in entry ? entry.commands.map((verb) => verb.name) : [];
  const rest = argv.slice(argv.indexOf(entry.name) + 1);
  const verb = rest.find((word) => verbs.includes(word));
  return verb === undefined ? [entry.name] : [entry.name, verb];
}

function firstOperand(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (word === '--') return argv[index + 1];
    if (!word.startsWith('-')) return word;
    if (takesValue.has(word)) index++;
  }
  return undefined;
}

const takesValue: ReadonlySet<string> = new Set(
  Object.entries(globalOptions)
    .filter(([, option]) => option.type !== 'switch')
    .map(([name]) => `--${kebabCase(name)}`),
);
