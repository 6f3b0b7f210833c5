/** Keeps what is known of a command that failed; loaded only then. */
import { arch, platform, version as nodeVersion } from 'node:process';
import { entries } from '../commands/index.js';
import { exitCodeOf, SvcError } from '../errors.js';
import { plainText } from '../lib/plain-text.js';
import { redactReport } from '../lib/redact-report.js';
import { accountOf, accountOfSettings, localService, type Account } from '../state/account.js';
import { homeFolders, pathsFrom } from '../state/paths.js';
import { loadSettings } from '../state/settings.js';
import { lastFailure } from '../state/small-files.js';
import type { GlobalFlags, RunEnv } from '../context.js';
import type { Option } from '../command.js';
import { answerBehind } from './exit.js';
import { route } from './route.js';

type FailedRun = Pick<RunEnv, 'env' | 'version' | 'clock'> & { readonly argv: readonly string[] };

/** Never throws. @param flags undefined when the command line could not be read. */
export function rememberFailure(
  { argv, env, version, clock }: FailedRun,
  flags: GlobalFlags | undefined,
  error: unknown,
): void {
  try {
    const path = route(argv, entries).path.join(' ');
    // A command that reports a failure is not the one to be reported.
    if (/^(|tickets create|tickets reply|feedback create)$/.test(path)) return;
    const { text, omitted } = keptLine(argv);
    const answer = answerBehind(error);
    const homes = homeFolders(env);
    const clean = (words: string, maxLength: number) =>
      plainText(redactReport(withoutWords(words, omitted), homes), maxLength);
    const code = error instanceof SvcError ? error.code : undefined;
    lastFailure(pathsFrom(env)).keep({
      atMs: clock.now(),
      command: plainText(text, 1000),
      exit: exitCodeOf(error),
      status: answer?.status,
      code: code && clean(code, 200),
      message: clean(error instanceof Error ? error.message : String(error), 500),
      requestIds: [...new Set(Object.values(answer?.requestIds ?? {}))],
      svc: version,
      node: nodeVersion,
      system: `${platform} ${arch}`,
      account: flags && accountIn(flags, env),
    });
  } catch {
    // The error itself has been reported.
  }
}

function accountIn(flags: GlobalFlags, env: FailedRun['env']): Account | undefined {
  if (flags.local) return accountOf('local', localService, '');
  try {
    return accountOfSettings(loadSettings({ flags, env, paths: pathsFrom(env) }));
  } catch {
    // That may be the very failure.
    return undefined;
  }
}

const leftOut = '…';
/** Shorter words, values of `name=value` and prefixes of words can occur in messages by chance. */
const [leastWord, leastValue, leastStart] = [4, 6, 12];

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** On one line, without what the user typed: unchanged, in JSON, as a value, or truncated. */
function withoutWords(text: string, omitted: readonly string[]): string {
  const forms = omitted.flatMap((word) => {
    const value = oneLine(/^[\w.-]{1,100}[=:]([^]+)$/.exec(word)?.[1] ?? '');
    const whole = [oneLine(word), JSON.stringify(word).slice(1, -1)];
    return value.length < leastValue ? whole : [...whole, value];
  });
  let clean = oneLine(text);
  forms.sort((one, other) => other.length - one.length);
  for (const form of forms) clean = clean.replaceAll(form, leftOut);
  for (const form of forms.filter(({ length }) => length > leastStart)) {
    const [head = '', ...rest] = clean.split(form.slice(0, leastStart));
    const tail = form.slice(leastStart);
    clean = rest.reduce((sum, part) => {
      let same = 0;
      while (same < tail.length && part[same] === tail[same]) same += 1;
      return sum + leftOut + part.slice(same);
    }, head);
  }
  return clean;
}

/** The command with its options, and values that are not free text; `omitted` are the others. */
export function keptLine(argv: readonly string[]) {
  const { path, tokens } = route(argv, entries);
  const words = ['svc', ...path];
  const omitted: string[] = [];
  let endsInText = false;
  for (const { text, option, value } of tokens) {
    const isKept = option && (value === undefined || mayBeKept(option, value));
    const left = option ? value : text;
    if (!isKept && left !== undefined) omitted.push(left);
    if (option) words.push(text);
    if (option ? value !== undefined : !endsInText) words.push(isKept && value ? value : leftOut);
    endsInText = !option;
  }
  const long = omitted.filter((word) => word.trim().length >= leastWord);
  return { text: words.join(' '), omitted: long };
}

function mayBeKept(option: Option, value: string): boolean {
  if (option.type === 'switch') return false;
  if (option.type === 'duration') return /^[\d.]{1,20}(?:ms|s|m|h)?$/.test(value);
  if (option.type !== 'text') return /^-?[\d.]{1,20}$/.test(value);
  if (option.choices) return option.choices.includes(value);
  return option.completes === 'model' && /^[\w.-]+\/[\w.:-]{1,80}$/.test(value);
}
