/** Reads a command line word by word: which command it names, and what it is given. */
import { nearest, shellWord } from '../lib/names.js';
import { type Command, type Entry, longFlag, type Option, type Options } from './declaration.js';
import { globalOptions } from './globals.js';
import { topics } from './topics.js';

/** An operand, or an option under the flag that was typed; an unknown option has no `option`. */
export interface Token {
  readonly text: string;
  readonly isOperand?: true;
  readonly name?: string;
  readonly long?: string;
  readonly option?: Option;
  readonly isGlobal?: boolean;
  readonly value?: string | undefined;
}

export interface Route {
  /** The names of the command, its group or a topic, as far as they are known. */
  path: string[];
  declaration?: Command;
  /** The names that may follow. */
  names: readonly string[];
  tokens: Token[];
  /** After `--` all words are operands. */
  isOver?: boolean;
  /** `help jobs list`, `--help jobs list`, `jobs help list` and `jobs list --help` are one. */
  isHelp: boolean;
  isVersion?: boolean;
  /** The first mistake, in a sentence; without a known command there is no help either. */
  refusal?: string;
  isLost?: boolean;
}

export function route(argv: readonly string[], entries: readonly Entry[]): Route {
  const names = [...entries, ...topics].map(({ name }) => name);
  const found: Route = { path: [], names, tokens: [], isHelp: argv.length === 0 };
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    // A negative number is an operand.
    if (found.isOver || !/^-[^\d.]/.test(word)) readOperand(word, found, entries);
    else if (word === '--') found.isOver = true;
    else readOption(word, left, found);
  }
  if (found.isLost) found.isHelp = false;
  return found;
}

function readOperand(word: string, found: Route, entries: readonly Entry[]): void {
  const { path, names, tokens } = found;
  const isRoot = path.length === 0;
  if (names.length === 0) tokens.push({ text: word, isOperand: true });
  else if (word === 'help') found.isHelp = true;
  else if (word === 'version' && isRoot) found.isVersion = true;
  else if (names.includes(word)) {
    const entry = entries.find(({ name }) => name === (path[0] ?? word));
    const verbs = entry && 'commands' in entry ? entry.commands : [];
    const verb = verbs.find(({ name }) => name === word && !isRoot);
    const command = entry && 'commands' in entry ? verb : entry;
    if (command) found.declaration = command;
    found.names = command ? [] : verbs.map(({ name }) => name);
    path.push(word);
  } else {
    const unknown = `unknown ${isRoot ? 'command' : 'verb'} ${JSON.stringify(word)}`;
    found.refusal ??= unknown + guessed(word, names);
    tokens.push({ text: word, isOperand: true });
    found.names = [];
    found.isLost = true;
  }
}

function readOption(word: string, left: string[], found: Route): void {
  const { declaration, path, tokens } = found;
  const [, flag = '', rest = ''] = /^(--[^=]*|-[^])([^]*)$/.exec(word) ?? [];
  const isLong = flag.startsWith('--');
  if (flag === '--help' || flag === '-h') {
    found.isHelp = true;
    return;
  }
  if ((flag === '--version' || flag === '-V') && path.length === 0) {
    found.isVersion = true;
    return;
  }
  const known = [...flagged(declaration?.options, false), ...flagged(globalOptions, true)];
  const named = known.find(({ long, option }) => [long, `-${option.short ?? ''}`].includes(flag));
  if (!named) {
    const names = known.map(({ long }) => long);
    found.refusal ??= `unknown option ${shellWord(flag)}${isLong ? guessed(flag, names) : ''}`;
    tokens.push({ text: word });
    return;
  }
  const { long, option } = named;
  let value = rest === '' ? undefined : rest.slice(isLong ? 1 : 0);
  if (option.type === 'switch') {
    if (value !== undefined && isLong) found.refusal ??= `${flag} takes no value`;
    // More letters follow.
    else if (value !== undefined) left.unshift(`-${value}`);
    if (!isLong) value = undefined;
  } else {
    value ??= left.shift();
    if (value === undefined) found.refusal ??= `missing value: ${long} <${option.value}>`;
  }
  tokens.push({ text: flag, ...named, value });
}

function flagged(options: Options = {}, isGlobal: boolean) {
  return Object.entries(options).map(([name, option]) => {
    return { name, option, isGlobal, long: longFlag(name, option) };
  });
}

function guessed(word: string, names: readonly string[]): string {
  const guess = nearest(word, names);
  return guess === undefined ? '' : `; did you mean ${guess}?`;
}
