/**
 * What may be kept of a command line: the command, the names of its options, and values that can
 * be nobody's secret or words: numbers, times, one of several known words, the id of a model.
 */
import { kebabCase } from '../lib/names.js';
import { entries } from '../commands/index.js';
import type { Command, Option } from './declaration.js';
import { globalOptions } from './globals.js';
import { commandPath } from './route.js';

export interface KeptLine {
  /** `svc chat -m vendor/model --temperature 0.2 …`; `…` stands for what is left out. */
  readonly text: string;
  /** What is left out, for it may stand in a message too. */
  readonly omitted: readonly string[];
}

const leftOut = '…';

/** @param argv the words after `svc`. */
export function keptLine(argv: readonly string[]): KeptLine {
  const path = commandPath(argv);
  const reader = new Reader(path, optionsOf(path));
  let isOver = false;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (isOver || word === '-' || !word.startsWith('-')) reader.operand(word);
    else if (word === '--') isOver = true;
    else if (reader.option(word, argv[index + 1])) index += 1;
  }
  return reader.line;
}

/** By their long names in the words of the command line. */
function optionsOf(path: readonly string[]): ReadonlyMap<string, Option> {
  const all = { ...globalOptions, ...commandAt(path)?.options };
  return new Map(Object.entries<Option>(all).map(([name, option]) => [kebabCase(name), option]));
}

function commandAt([name, verb]: readonly string[]): Command | undefined {
  const entry = entries.find((one) => one.name === name);
  if (!entry) return undefined;
  return 'commands' in entry ? entry.commands.find((one) => one.name === verb) : entry;
}

class Reader {
  readonly #words: string[];
  readonly #omitted: string[] = [];
  /** Names of the command that are still to come among the operands. */
  readonly #path: string[];
  /** Several words that are left out stand as one. */
  #endsInWords = false;

  constructor(
    path: readonly string[],
    private readonly options: ReadonlyMap<string, Option>,
  ) {
    this.#words = ['svc', ...path];
    this.#path = [...path];
  }

  get line(): KeptLine {
    return { text: this.#words.join(' '), omitted: this.#omitted };
  }

  operand(word: string): void {
    if (this.#path[0] === word) {
      this.#path.shift();
      return;
    }
    this.#leaveOut(word);
    if (!this.#endsInWords) this.#words.push(leftOut);
    this.#endsInWords = true;
  }

  /** @returns whether the next word is its value. */
  option(word: string, next: string | undefined): boolean {
    const [flag, value] = word.startsWith('--') ? splitLong(word) : splitShort(word);
    const found = this.#find(flag);
    if (!found) {
      // Whatever it is, it is no option: its name may be anything.
      this.operand(word);
      return false;
    }
    this.#endsInWords = false;
    this.#words.push(flag);
    if (found.type === 'switch') {
      // Short switches come in one word: -qv.
      return value === undefined || flag.startsWith('--') ? false : this.option(`-${value}`, next);
    }
    const given = value ?? next;
    if (given === undefined) return false;
    const isKept = mayBeKept(found, given);
    if (!isKept) this.#leaveOut(given);
    this.#words.push(isKept ? given : leftOut);
    return value === undefined;
  }

  #find(flag: string): Option | undefined {
    if (!flag.startsWith('--')) {
      return [...this.options.values()].find(({ short }) => `-${short ?? ''}` === flag);
    }
    const name = flag.slice(2);
    return this.options.get(name) ?? this.options.get(name.replace(/^no-/, ''));
  }

  #leaveOut(word: string): void {
    // Shorter ones stand in every message by chance.
    if (word.trim().length >= 4) this.#omitted.push(word);
  }
}

function splitLong(word: string): readonly [flag: string, value: string | undefined] {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function splitShort(word: string): readonly [flag: string, value: string | undefined] {
  return [word.slice(0, 2), word.length > 2 ? word.slice(2).replace(/^=/, '') : undefined];
}

function mayBeKept(option: Option, value: string): boolean {
  switch (option.type) {
    case 'number':
    case 'integer':
      return /^-?[\d.]{1,20}$/.test(value);
    case 'duration':
      return /^[\d.]{1,20}(?:ms|s|m|h)?$/.test(value);
    case 'text':
      if (option.choices) return option.choices.includes(value);
      return option.completes === 'model' && /^[\w.-]+\/[\w.:-]{1,80}$/.test(value);
    case 'switch':
      return false;
  }
}
