/** Keeps what is known of a command that failed; loaded only then. */
import { arch, platform, version as nodeVersion } from 'node:process';
import { ApiError, SvcError } from '../errors.js';
import { plainText } from '../lib/plain-text.js';
import { redactReport } from '../lib/redact-report.js';
import { accountOf, localService, type Account } from '../state/account.js';
import { keepLastFailure } from '../state/small-files.js';
import { homeFolders, pathsFrom } from '../state/paths.js';
import { baseUrlText } from '../state/rules.js';
import { loadSettings } from '../state/settings.js';
import type { Env } from '../lib/env.js';
import { entries } from '../commands/index.js';
import { kebabCase } from '../lib/names.js';
import type { GlobalFlags } from './context.js';
import type { Option } from './declaration.js';
import { exitCodeOf } from './exit.js';
import { globalOptions } from './globals.js';
import { commandPath } from './route.js';

export interface FailedRun {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly version: string;
  /** Epoch, ms. */
  readonly atMs: number;
  /** Undefined when the command line could not be read. */
  readonly flags: GlobalFlags | undefined;
}

/** Never throws: where it cannot be kept, there is nothing to report from later. */
export function rememberFailure(run: FailedRun, error: unknown): void {
  try {
    const path = commandPath(run.argv).join(' ');
    // What reports a failure is not itself what is to be reported; a word that names no command
    // is a slip of the pen.
    if (path === '' || reporting.has(path)) return;
    const paths = pathsFrom(run.env);
    const { text, omitted } = keptLine(run.argv);
    const answer = answerIn(error);
    const homes = homeFolders(run.env);
    const clean = (words: string) => redactReport(withoutWords(words, omitted), homes);
    keepLastFailure(paths, {
      atMs: run.atMs,
      command: plainText(text, 1000),
      exit: exitCodeOf(error),
      ...(answer ? { status: answer.status } : {}),
      ...(error instanceof SvcError && error.code !== undefined
        ? { code: plainText(clean(error.code), 200) }
        : {}),
      message: plainText(clean(error instanceof Error ? error.message : String(error)), 500),
      requestIds: [...new Set(Object.values(answer?.requestIds ?? {}))],
      svc: run.version,
      node: nodeVersion,
      system: `${platform} ${arch}`,
      account: accountIn(run),
    });
  } catch {
    // The error itself has been reported.
  }
}

const reporting: ReadonlySet<string> = new Set([
  'tickets create',
  'tickets reply',
  'feedback create',
]);

/** What the service answered: the error itself, or what is behind it. */
function answerIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  return error instanceof SvcError ? answerIn(error.cause) : undefined;
}

/** On one line; what the person typed is no part of it, wherever it is quoted. */
function withoutWords(text: string, omitted: readonly string[]): string {
  const words = omitted.flatMap(quotedForms).sort((one, other) => other.length - one.length);
  const clean = words.reduce((sum, word) => sum.replaceAll(word, '…'), oneLine(text));
  return words.filter((word) => word.length > leastStart).reduce(withoutStart, clean);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Shorter ones stand in every message by chance. */
const leastValue = 6;

/** Also in JSON, and by its value alone, where it is `name=value`. */
function quotedForms(word: string): string[] {
  const value = oneLine(/^[\w.-]{1,100}[=:]([^]+)$/.exec(word)?.[1] ?? '');
  const forms = [oneLine(word), JSON.stringify(word).slice(1, -1)];
  return value.length < leastValue ? forms : [...forms, value];
}

/** So much of a word in a row is no chance. */
const leastStart = 12;

/** Without a word that is quoted up to where somebody has cut it. */
function withoutStart(text: string, word: string): string {
  const start = word.slice(0, leastStart);
  let clean = text;
  for (let at = clean.indexOf(start); at !== -1; at = clean.indexOf(start, at + 1)) {
    let length = leastStart;
    while (length < word.length && clean[at + length] === word[length]) length += 1;
    clean = `${clean.slice(0, at)}…${clean.slice(at + length)}`;
  }
  return clean;
}

function accountIn({ env, flags }: FailedRun): Account | undefined {
  if (!flags) return undefined;
  if (flags.local) return accountOf('local', localService, '');
  try {
    const { baseUrl, key, profile } = loadSettings({ flags, env, paths: pathsFrom(env) });
    return baseUrl && key ? accountOf(profile, baseUrlText(baseUrl), key) : undefined;
  } catch {
    // That may be the very failure.
    return undefined;
  }
}

export interface KeptLine {
  /** `svc chat -m vendor/model --temperature 0.2 …`; `…` stands for what is left out. */
  readonly text: string;
  /** What is left out, for it may stand in a message too. */
  readonly omitted: readonly string[];
}

const leftOut = '…';

/**
 * What may be kept of a command line: the command, the names of its options, and values that can
 * be nobody's secret or words: numbers, times, one of several known words, the id of a model.
 * @param argv the words after `svc`.
 */
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
