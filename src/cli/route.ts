/** Reads a command line word by word: which command it names, and its options and operands. */
import { Command as Parser, Option as Flag } from 'commander';
import { guess } from '../lib/names.js';
import type { Line } from '../command-line.js';
import { type Entry, longFlag, type Options } from '../command.js';
import { globalOptions, helpOption, versionOption } from '../global-flags.js';
import { topics } from './topics.js';

export function route(argv: readonly string[], entries: readonly Entry[]): Line {
  const names = [...entries, ...topics].map(({ name }) => name);
  const found: Line = { path: [], names, tokens: [], isHelp: argv.length === 0 };
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    // A negative number is an operand.
    if (found.isOver || !/^-[^\d.]/.test(word)) readOperand(word, left, found, entries);
    else if (word === '--') {
      found.isOver = true;
      if (found.declaration) found.names = [];
    } else readOption(word, left, found);
  }
  if (found.isLost) found.isHelp = false;
  return found;
}

function readOperand(
  word: string,
  left: readonly string[],
  found: Line,
  entries: readonly Entry[],
): void {
  const { path, names, tokens, declaration } = found;
  const isRoot = path.length === 0;
  const mayBeName = names.length > 0;
  if (mayBeName && word === 'help') found.isHelp = true;
  else if (mayBeName && word === 'version' && isRoot) found.isVersion = true;
  else if (names.includes(word)) {
    const entry = entries.find(({ name }) => name === (path[0] ?? word));
    const verbs = entry && 'commands' in entry ? entry.commands : [];
    const verb = verbs.find(({ name }) => name === word && !isRoot);
    const command = entry && 'commands' in entry ? verb : entry;
    const bare = entry && 'commands' in entry ? entry.bare : undefined;
    found.declaration = command ?? bare;
    found.names = command ? [] : verbs.map(({ name }) => name);
    path.push(word);
  } else {
    if (mayBeName && !declaration) {
      const { isHelp, isOver, isVersion, refusal } = found;
      const isFirst = refusal === undefined && !isHelp && !isOver && !isVersion;
      if (isRoot && isFirst) found.unknown = { name: word, before: [...tokens], after: [...left] };
      const unknown = `unknown ${isRoot ? 'command' : 'verb'} ${JSON.stringify(word)}`;
      found.refusal ??= unknown + guess(word, names);
      found.isLost = true;
    }
    tokens.push({ text: word, isOperand: true });
    found.names = [];
  }
}

/** What commander is given as the next word: the real one may be missing, or look like an option. */
const nextWord = '\0';

/** Commander reads the word: one option or a cluster, each with its value. */
function readOption(word: string, left: string[], found: Line): void {
  const { declaration, path, tokens } = found;
  const parser = new Parser();
  const own = flagged(path.length === 0 ? versionOption : declaration?.options, false);
  // The older --raw of `svc embed` keeps its meaning.
  const shared = flagged({ ...globalOptions, ...helpOption }, true).filter(
    ({ long }) => !own.some((one) => one.long === long),
  );
  const known = [...own, ...shared];
  const isLong = word.startsWith('--');
  for (const named of known) {
    const { long, option } = named;
    const text = isLong ? long : option.short && `-${option.short}`;
    // Only what the word can mean: commander compares each flag with all others.
    if (!text || (isLong && text !== flagIn(word))) continue;
    const flag = new Flag(option.type === 'switch' ? text : `${text} <value>`);
    parser.addOption(flag).on(`option:${flag.name()}`, (given?: string) => {
      const value = given === nextWord ? left.shift() : given;
      if (option === helpOption.help) found.isHelp = true;
      else if (option === versionOption.version) found.isVersion = true;
      else tokens.push({ text, ...named, value });
      // The options and operands of a group belong to its bare verb.
      if (declaration && !named.isGlobal) found.names = [];
      if (option.type === 'switch' || value !== undefined) return;
      found.refusal ??= `missing value: ${long} <${option.value}>`;
    });
  }
  // A name has neither blanks nor digits first: it is meant as text.
  const isText = declaration?.args !== undefined && /\s|^-+(?!-*[a-z])/i.test(word);
  // A switch before a blank, or a value that begins with one, is the first letter of a sentence.
  const first = known.find(({ option }) => !isLong && option.short === word[1])?.option;
  const isSentence = isText && first && (first.type === 'switch' || /^-.\s/.test(word));
  const [wrong] = isSentence ? [word] : parser.parseOptions([word, nextWord]).unknown;
  if (wrong === undefined) return;
  tokens.push({ text: wrong });
  const flag = isSentence ? word : flagIn(wrong);
  const names = known.map(({ long }) => long);
  const asText = '; for text that begins with a dash, put -- before it';
  const advice = isText ? asText : guess(flag, names);
  found.refusal ??= names.includes(flag)
    ? `${flag} does not take a value`
    : `unknown option ${/^[\w-]+$/.test(flag) ? flag : JSON.stringify(flag)}${advice}`;
}

/** `--name` of `--name=value`, `-n` of `-nvalue`. */
function flagIn(word: string): string {
  return /^(?:--[^=]*|-[^])/.exec(word)?.[0] ?? word;
}

function flagged(options: Options = {}, isGlobal: boolean) {
  return Object.entries(options).map(([name, option]) => {
    return { name, option, isGlobal, long: longFlag(name, option) };
  });
}
