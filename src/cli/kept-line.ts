/**
 * What may be kept of a command line: the command, the names of its options, and values that can
 * be nobody's secret or words: numbers, times, one of several known words, the id of a model.
 */
import { kebabCase } from '../lib/names.js';
import { entries } from '../commands/index.js';
import type { Option } from './declaration.js';
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
  const find = optionFinder(path);
  const words = ['svc', ...path];
  const omitted: string[] = [];
  /** Names of the command that are still to come among the operands. */
  const names = [...path];
  /** Several operands that are left out stand as one. */
  let endsInOperand = false;
  const operand = (word: string) => {
    if (names[0] === word) names.shift();
    else {
      omitted.push(word);
      if (!endsInOperand) words.push(leftOut);
      endsInOperand = true;
    }
  };
  for (let index = 0; index < argv.length; index += 1) {
    let word = argv[index] ?? '';
    if (word === '--') {
      argv.slice(index + 1).forEach(operand);
      break;
    }
    if (word === '-' || !word.startsWith('-')) operand(word);
    while (word.length > 1 && word.startsWith('-')) {
      const [, flag = '', value] = /^(--[^=]*|-.)(?:=?([^]+)|=)?$/.exec(word) ?? [];
      const found = find(flag);
      // What is no option may be anything.
      if (!found) operand(word);
      if (!found) break;
      endsInOperand = false;
      words.push(flag);
      // Short switches come in one word: -qv.
      const isSwitch = found.type === 'switch';
      word = isSwitch && value !== undefined && !flag.startsWith('--') ? `-${value}` : '';
      const given = isSwitch ? undefined : (value ?? argv[index + 1]);
      if (given === undefined) continue;
      if (value === undefined) index += 1;
      const isKept = mayBeKept(found, given);
      if (!isKept) omitted.push(given);
      words.push(isKept ? given : leftOut);
    }
  }
  // Shorter ones stand in every message by chance.
  return { text: words.join(' '), omitted: omitted.filter((word) => word.trim().length >= 4) };
}

/** Finds an option of the command by its flag. */
function optionFinder([name, verb]: readonly string[]) {
  const entry = entries.find((one) => one.name === name);
  const command =
    entry && 'commands' in entry ? entry.commands.find((one) => one.name === verb) : entry;
  const all = Object.entries<Option>({ ...globalOptions, ...command?.options });
  const byName = new Map(all.map(([camel, option]) => [`--${kebabCase(camel)}`, option]));
  return (flag: string): Option | undefined =>
    flag.startsWith('--')
      ? (byName.get(flag) ?? byName.get(flag.replace(/^--no-/, '--')))
      : [...byName.values()].find(({ short }) => `-${short ?? ''}` === flag);
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
