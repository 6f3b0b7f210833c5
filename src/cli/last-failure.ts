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
import type { GlobalFlags } from './context.js';
import { exitCodeOf } from './exit.js';
import { keptLine } from './kept-line.js';
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
