/** `svc __complete -- WORDS`: what may stand in place of the last word, for the scripts of shells. */
import {
  type Argument,
  type Entry,
  type Options,
  longFlag,
  summaryOf,
} from '../cli/declaration.js';
import { globalOptions } from '../cli/globals.js';
import { topics } from '../cli/topics.js';

type Completed = Pick<Argument, 'choices' | 'completes' | 'many'>;

interface Candidate {
  readonly name: string;
  readonly summary?: string;
}

/** An option under one of its names; `value` is absent for a switch. */
interface Flag extends Candidate {
  readonly value?: Completed;
}

/** A command: with `commands` it is followed by one of them, without it takes operands. */
interface Node extends Candidate {
  readonly options?: Options;
  readonly args?: readonly Completed[];
  readonly commands?: readonly Node[];
}

/** The candidates, one a line, with a tab before what they do; `:file` or `:directory` where the shell knows best. */
export async function candidates(
  words: readonly string[],
  entries: readonly Entry[],
  localModels: () => Promise<readonly string[]>,
  profiles: () => readonly string[] = () => [],
): Promise<string> {
  const before = words.slice(0, -1);
  // PowerShell passes no empty word on: its script sends a pair of quotes.
  const word = words.at(-1) === '""' ? '' : (words.at(-1) ?? '');
  const offer = async (by: Completed = {}, start = word, prefix = ''): Promise<string> => {
    const { choices, completes = [] } = by;
    if (!choices && (completes === 'file' || completes === 'directory')) return `:${completes}\n`;
    const asksModels = completes === 'model' && before.includes('--local');
    const named = completes === 'profile' ? profiles() : [];
    const known = typeof completes === 'string' ? named : completes;
    const values = choices ?? (asksModels ? await localModels() : known);
    return lines(
      values.map((value) => ({ name: prefix + value })),
      prefix + start,
    );
  };

  const named = [...entries, ...topics];
  const args = [{ choices: named.map(({ name }) => name) }];
  const help = { name: 'help', summary: 'show help for a command or a topic', args };
  const root: Node = { name: 'svc', commands: [...named, help] };
  const flagsOf = (node: Node): readonly Flag[] => [
    ...(node === root ? versionFlags : flagsIn(node.options)),
    ...everywhere,
  ];
  let node: Node | undefined = root;
  let waiting: Flag | undefined;
  let operand = 0;
  for (const one of before) {
    // After `--`, and after a wrong command, nothing is known to follow.
    if (!waiting && one === '--') return '';
    if (waiting) waiting = undefined;
    else if (one.startsWith('-')) {
      waiting = flagsOf(node).find(({ name, value }) => value && name === one);
    } else if (node.commands) node = node.commands.find(({ name }) => name === one);
    else operand += 1;
    if (!node) return '';
  }
  if (waiting) return offer(waiting.value);
  const [, flag, start] = /^(--[^=]*)=([^]*)$/.exec(word) ?? [];
  if (flag !== undefined) {
    return offer(flagsOf(node).find(({ name }) => name === flag)?.value, start, `${flag}=`);
  }
  if (word.startsWith('-')) return lines(flagsOf(node), word);
  if (node.commands) return lines(node.commands, word);
  const last = node.args?.at(-1);
  return offer(node.args?.[operand] ?? (last?.many ? last : undefined));
}

function lines(found: readonly Candidate[], start: string): string {
  return found
    .filter(({ name }) => name.startsWith(start))
    .map(({ name, summary }) => (summary === undefined ? `${name}\n` : `${name}\t${summary}\n`))
    .join('');
}

function flagsIn(options: Options = {}): Flag[] {
  return Object.entries(options).flatMap(([name, option]) => {
    if (option.hidden) return [];
    const names = [...(option.short ? [`-${option.short}`] : []), longFlag(name, option)];
    const value = option.type === 'text' ? { completes: placeIn(option.value), ...option } : {};
    const more = option.type === 'switch' ? {} : { value };
    return names.map((one) => ({ name: one, summary: summaryOf(option), ...more }));
  });
}

/** What is completed where a value's word says it: `FILE|-`, `DIR`. */
function placeIn(value: string): 'file' | 'directory' | undefined {
  if (/^FILE\b/.test(value)) return 'file';
  return /^DIR\b/.test(value) ? 'directory' : undefined;
}

const versionFlags = ['-V', '--version'].map((name) => ({ name, summary: 'print the version' }));

const everywhere: readonly Flag[] = [
  ...flagsIn(globalOptions),
  { name: '-h', summary: 'show help' },
  { name: '--help', summary: 'show help' },
];
