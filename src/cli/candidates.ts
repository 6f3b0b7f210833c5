/** `svc __complete -- WORDS`: what can complete the last word, for the scripts of shells. */
import { longFlag, summaryOf, type Argument, type Entry, type Options } from '../command.js';
import { globalOptions, helpOption, versionOption } from '../global-flags.js';
import type { Candidate, LookUp } from '../command-line.js';
import { route } from './route.js';
import { topics } from './topics.js';
import { folded } from '../lib/names.js';

type Completed = Pick<Argument, 'choices' | 'completes'>;

/** An option under one of its names; `value` is absent for a switch. */
interface Flag extends Candidate {
  readonly value?: Completed;
}

/** The candidates, one a line, with a tab before their summary; `:file` or `:directory` where the shell knows best. */
export async function candidates(
  words: readonly string[],
  entries: readonly Entry[],
  lookUp: LookUp,
): Promise<string> {
  const before = words.slice(0, -1);
  // PowerShell passes no empty word on: its script sends a pair of quotes.
  const word = words.at(-1) === '""' ? '' : (words.at(-1) ?? '');
  const line = route(before, entries);
  const { declaration, isHelp, isLost, isOver, names, operands, options, path } = line;
  const offer = async (by: Completed = {}, start = word, prefix = ''): Promise<string> => {
    const { completes = [], choices: values = completes } = by;
    if (values === 'file' || values === 'directory') return `:${values}\n`;
    const all =
      typeof values === 'string'
        ? await lookUp(values, line, start)
        : values.map((name) => ({ name }));
    return lines(
      all.map(({ name, ...more }) => ({ name: prefix + name, ...more })),
      prefix + start,
    );
  };
  const isRoot = path.length === 0;
  const flags = flagsIn({
    ...(isRoot ? versionOption : declaration?.options),
    ...globalOptions,
    ...helpOption,
  });
  const last = options.at(-1);
  if (last && last.option.type !== 'switch' && last.value === undefined) {
    return offer(flags.find(({ name }) => name === last.text)?.value);
  }
  const isProgram = declaration?.args?.some(({ isLine }) => isLine) === true;
  if (isProgram && (isOver || operands.length > 0)) return ':file\n';
  // After `--`, and after a wrong command, nothing is known to follow.
  if (isOver || isLost) return '';
  const [, flag, start] = /^(--[^=]*)=([^]*)$/.exec(word) ?? [];
  if (flag !== undefined) {
    return offer(flags.find(({ name }) => name === flag)?.value, start, `${flag}=`);
  }
  if (word.startsWith('-')) return lines(flags, word);
  const group = entries.find(({ name }) => name === path[0]);
  const verbs = group && 'commands' in group ? group.commands : [];
  const help = { name: 'help', summary: 'show help for a command or a topic' };
  if (names.length > 0) {
    const mayBeAlias = isRoot && (!isHelp || before.length === 0);
    const aliases = mayBeAlias ? await lookUp('alias', line, word) : [];
    return lines(isRoot ? [...entries, ...aliases, ...topics, help] : verbs, word);
  }
  const { args = [] } = declaration ?? {};
  return offer(args[operands.length] ?? (args.at(-1)?.many ? args.at(-1) : undefined));
}

function lines(all: readonly Candidate[], start: string): string {
  return all
    .filter(({ name }) => folded(name).startsWith(folded(start)))
    .map(({ name, summary = '' }) => (summary === '' ? `${name}\n` : `${name}\t${summary}\n`))
    .join('');
}

function flagsIn(options: Options = {}): Flag[] {
  return Object.entries(options).flatMap(([name, option]) => {
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
