/** `svc __complete -- WORDS`: what may stand in place of the last word, for the scripts of shells. */
import {
  type Argument,
  type Command,
  type Entry,
  type Options,
  longFlag,
  summaryOf,
} from '../cli/declaration.js';
import { globalOptions } from '../cli/globals.js';
import { topics } from '../cli/topics.js';

/** What an option's value, or an argument, is completed by. */
type Completed = Pick<Argument, 'choices' | 'completes' | 'many'>;

/** `value` is absent for a switch. */
interface Flag {
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly value?: Completed;
}

/** A command: with `children` it is followed by one of them, without it takes operands. */
interface Node {
  readonly name: string;
  readonly summary: string;
  readonly flags?: readonly Flag[];
  readonly operands?: readonly Completed[];
  readonly children?: readonly Node[];
}

/**
 * The candidates, one a line, a tab before the description where there is one; or `:file` or
 * `:directory`, where the shell knows best.
 * @param words those after `svc`, up to the cursor; the last may be empty.
 * @param localModels those to offer with --local; other models only a call could tell.
 */
export async function candidates(
  words: readonly string[],
  entries: readonly Entry[],
  localModels: () => Promise<readonly string[]>,
): Promise<string> {
  const place = placeAfter(words.slice(0, -1), entries);
  if (!place) return '';
  const { children, completed, flags, isValue } = place;
  // PowerShell passes no empty word on: its script sends a pair of quotes.
  const word = words.at(-1) === '""' ? '' : (words.at(-1) ?? '');
  const [, name = '', part = ''] = /^(--[^=]*)=([^]*)$/.exec(word) ?? [];
  if (name !== '' && !isValue) {
    const flag = flags.find(({ spellings }) => spellings.includes(name));
    return offer(flag?.value, part, `${name}=`);
  }
  if (word.startsWith('-') && !isValue) {
    const named = flags.flatMap(({ spellings, summary }) =>
      spellings.map((spelling) => ({ name: spelling, summary })),
    );
    return lines(named, word);
  }
  return children.length > 0 && !isValue ? lines(children, word) : offer(completed, word, '');

  async function offer(by: Completed = {}, start: string, before: string): Promise<string> {
    const { choices, completes } = by;
    if (!choices && (completes === 'file' || completes === 'directory')) return `:${completes}\n`;
    const asksModels = !choices && completes === 'model' && words.slice(0, -1).includes('--local');
    const models = asksModels ? await localModels() : [];
    const values = choices ?? (typeof completes === 'object' ? completes : models);
    return lines(
      values.map((value) => ({ name: before + value })),
      before + start,
    );
  }
}

function lines(
  found: readonly { readonly name: string; readonly summary?: string }[],
  start: string,
): string {
  return found
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, summary }) => (summary === undefined ? `${name}\n` : `${name}\t${summary}\n`))
    .join('');
}

/** Undefined where nothing is known to follow: after a wrong command, and after `--`. */
function placeAfter(words: readonly string[], entries: readonly Entry[]) {
  const everywhere = [
    ...flagsIn(globalOptions),
    { spellings: ['-h', '--help'], summary: 'show help' },
  ];
  let node: Node | undefined = rootOf(entries);
  let waiting: Flag | undefined;
  let operand = 0;
  for (const word of words) {
    const { flags = [], children }: Node = node;
    if (waiting) waiting = undefined;
    else if (word === '--') return undefined;
    else if (word.startsWith('-')) {
      waiting = [...flags, ...everywhere].find(
        ({ spellings, value }) => value && spellings.includes(word),
      );
    } else if (children) {
      node = children.find(({ name }) => name === word);
      if (!node) return undefined;
    } else operand += 1;
  }
  const { flags = [], operands = [], children = [] } = node;
  const last = operands.at(-1);
  return {
    flags: [...flags, ...everywhere],
    children,
    /** What the word is completed by, as a value or an operand. */
    completed: waiting ? waiting.value : (operands[operand] ?? (last?.many ? last : undefined)),
    /** The option before the word takes it as its value. */
    isValue: waiting !== undefined,
  };
}

function rootOf(entries: readonly Entry[]): Node {
  const commands = entries.map((entry) =>
    'commands' in entry ? { ...entry, children: entry.commands.map(nodeOf) } : nodeOf(entry),
  );
  const help = {
    name: 'help',
    summary: 'show help for a command or a topic',
    operands: [{ choices: [...commands, ...topics].map(({ name }) => name) }],
  };
  return {
    name: 'svc',
    summary: '',
    flags: [{ spellings: ['-V', '--version'], summary: 'print the version' }],
    children: [...commands, ...topics, help],
  };
}

function nodeOf({ name, summary, options = {}, args = [] }: Command): Node {
  return { name, summary, flags: flagsIn(options), operands: args };
}

function flagsIn(options: Options): Flag[] {
  return Object.entries(options).flatMap(([name, option]) => {
    if (option.hidden) return [];
    const spellings = [...(option.short ? [`-${option.short}`] : []), longFlag(name, option)];
    const summary = summaryOf(option);
    if (option.type === 'switch') return [{ spellings, summary }];
    return [{ spellings, summary, value: option.type === 'text' ? option : {} }];
  });
}
