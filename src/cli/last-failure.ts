/** Keeps what is known of a command that failed; loaded only then. */
import { arch, platform, version as nodeVersion } from 'node:process';
import { ApiError, SvcError } from '../errors.js';
import { plainText } from '../lib/plain-text.js';
import { redactReport } from '../lib/redact-report.js';
import { accountOf, localService, type Account } from '../state/account.js';
import { keepLastFailure } from '../state/last-failure.js';
import { homeFolders, pathsFrom } from '../state/paths.js';
import { baseUrlText } from '../state/rules.js';
import { loadSettings } from '../state/settings.js';
import type { Env, GlobalFlags } from './context.js';
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
    keepLastFailure(paths, {
      atMs: run.atMs,
      command: plainText(text, 1000),
      exit: exitCodeOf(error),
      ...(answer ? { status: answer.status } : {}),
      ...(error instanceof SvcError && error.code !== undefined ? { code: error.code } : {}),
      message: messageOf(error, omitted, homeFolders(run.env)),
      requestIds: [...new Set(Object.values(answer?.requestIds ?? {}))],
      svc: run.version,
      node: nodeVersion,
      system: `${platform} ${arch}`,
      account: accountIn(run),
    });
  } catch {
    // The error itself has been told.
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

/** What the person typed is no part of it, wherever it is quoted. */
function messageOf(error: unknown, omitted: readonly string[], homes: readonly string[]): string {
  const told = error instanceof Error ? error.message : String(error);
  const message = [...omitted]
    .sort((one, other) => other.length - one.length)
    .reduce((text, word) => text.replaceAll(word, '…').replaceAll(plainText(word, 80), '…'), told);
  return plainText(redactReport(message, homes), 500);
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
