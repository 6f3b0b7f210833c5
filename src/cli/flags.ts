/** Which words of a line are options, and which are mistakes. */
import { Option as Flag } from 'commander';
import { bareOf, longFlag, type Option, type Options } from '../command.js';
import type { KnownOption, Line } from '../command-line.js';
import { fullOption, globalOptions, helpOption, versionOption } from '../global-flags.js';
import { meant } from './foreign-words.js';

/** Follows the last word. It is no option, so where commander puts it says how the line ends. */
export const end = '-\0';

/** Sees each word that may be an option, and takes those that are mistakes. */
export class Watch extends Flag {
  mistake: string | undefined;

  constructor(private readonly mistakeIn: (word: string) => string | undefined) {
    super(`-${end}`);
  }

  is(word: string): boolean {
    this.mistake = word === end ? undefined : this.mistakeIn(word);
    return word === end || this.mistake !== undefined;
  }
}

/** `--name=VALUE`, where a value is not a word of its own. */
export class Joined extends Flag {
  #value = '';

  constructor(
    private readonly flag: string,
    take: (typed: string) => void,
  ) {
    super(`${flag}=`);
    this.argParser(() => take(this.#value));
  }

  is(word: string): boolean {
    if (!word.startsWith(`${this.flag}=`)) return false;
    this.#value = word.slice(this.flag.length + 1);
    return true;
  }
}

/** The options that a line may have; under help also --all. */
export function knownIn(
  { path, declaration }: Pick<Line, 'path' | 'declaration'>,
  isHelp: boolean,
): KnownOption[] {
  const known = (options: Options = {}, isGlobal: boolean) =>
    Object.entries(options).map(([name, option]) => {
      const { short = '', also = '' } = option;
      const long = longFlag(name, option);
      const flags = [long, short && `-${short}`, ...also.split(' ')].filter(Boolean);
      return { name, option, isGlobal, long, flags };
    });
  const own = known(path.length === 0 ? versionOption : declaration?.options, false);
  // The older --raw of `svc embed` keeps its meaning.
  const isShared = ({ long }: KnownOption) => !own.some((one) => one.long === long);
  const shared = { ...globalOptions, ...helpOption, ...(isHelp && fullOption) };
  return [...own, ...known(shared, true).filter(isShared)];
}

/** `--name` of `--name=value`, `-n` of `-nvalue`. */
const flagIn = (word: string) => /^(?:--[^=]*|-[^])/.exec(word)?.[0] ?? word;

/** Whether a word with a dash may be the option, or a cluster with it. */
export function mayMean(word: string, flag: string): boolean {
  if (word.startsWith('--')) return flagIn(word) === flag;
  return !flag.startsWith('--') && word.includes(flag.slice(1));
}

/** `--no-name` of an option with a value that may be left out. */
const isNegation = (flag: string, option: Option) =>
  bareOf(option) !== undefined && flag.startsWith('--no-');

/** The value of a flag without one: none of `--no-name`. */
export const impliedBy = (flag: string, bare: string | undefined) =>
  bare !== undefined && flag.startsWith('--no-') ? '0' : bare;

/** @returns why a word is neither an option, with its value, nor a cluster that begins with one. */
export function mistakeIn(word: string, known: readonly KnownOption[], takesText: boolean) {
  // A negative number is an operand.
  if (!/^-[^\d.]/.test(word)) return undefined;
  const flag = flagIn(word);
  const option = known.find(({ flags }) => flags.includes(flag))?.option;
  const isSwitch = option !== undefined && (option.type === 'switch' || isNegation(flag, option));
  if (option && word.startsWith('--'))
    return isSwitch && word !== flag ? `${flag} does not take a value` : undefined;
  // A name has neither blanks nor digits first: it is meant as text.
  const isText = takesText && /\s|^-+(?!-*[a-z])/i.test(word);
  // A switch before a blank, or a value that begins with one, is the first letter of a sentence.
  const isSentence = option && isText && (isSwitch || /^-.\s/.test(word));
  const after = isSwitch ? /^-.([\d.-])/.exec(word)?.[1] : undefined;
  if (option && !isSentence && after === undefined) return undefined;
  const wrong = isSentence ? word : after === undefined ? flag : `-${after}`;
  const advice = isText
    ? '; for text that begins with a dash, put -- before it'
    : meant(
        wrong,
        known.map(({ long }) => long),
      );
  return `unknown option ${/^[\w-]+$/.test(wrong) ? wrong : JSON.stringify(wrong)}${advice}`;
}
