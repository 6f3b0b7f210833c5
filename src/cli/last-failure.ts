/** Keeps what is known of a command that failed, as facts that cannot hold a secret; loaded only then. */
import { arch, platform, version as nodeVersion } from 'node:process';
import { entries } from '../commands/index.js';
import type { Line } from '../command-line.js';
import { exitCodeOf, SvcError } from '../errors.js';
import { accountOf, accountOfSettings, localService, type Account } from '../state/account.js';
import { pathsFrom } from '../state/paths.js';
import { loadSettings } from '../state/settings.js';
import { lastFailure } from '../state/small-files.js';
import type { GlobalFlags, RunEnv } from '../context.js';
import { bareOf, type Argument, type Option } from '../command.js';
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
    const line = route(argv, entries);
    // A command that reports a failure is not the one to be reported.
    if (/^(|tickets create|tickets reply|feedback create)$/.test(line.path.join(' '))) return;
    const answer = answerBehind(error);
    const code = error instanceof SvcError ? error.code : undefined;
    const ids = Object.values(answer?.requestIds ?? {}).flatMap((id) =>
      id !== true && /^[\w.:-]+$/.test(id) ? [id] : [],
    );
    lastFailure(pathsFrom(env)).keep({
      atMs: clock.now(),
      command: commandWords(line),
      exit: exitCodeOf(error),
      status: answer?.status,
      code: code && errorCodeForm.test(code) ? code : undefined,
      requestIds: [...new Set(ids)],
      svc: version,
      node: nodeVersion,
      system: `${platform} ${arch}`,
      account: flags && accountIn(flags, env),
    });
  } catch {
    // The error itself has been reported.
  }
}

/** Words such as `model_not_found` and `http_502`: a service may put anything in their place. */
const errorCodeForm = /^(?=.{1,64}$)[a-z]+(?:[_.-](?:[a-z]+|\d{1,3}))*$/i;

function accountIn(flags: GlobalFlags, env: FailedRun['env']): Account | undefined {
  if (flags.local) return accountOf('local', localService, '');
  try {
    return accountOfSettings(loadSettings({ flags, env, paths: pathsFrom(env) }));
  } catch {
    // That may be the very failure.
    return undefined;
  }
}

/** The command with its options, their values where these are facts, and a mark for all else. */
export function commandWords({ path, declaration, options, operands }: Line): string {
  const [first] = declaration?.args ?? [];
  const words = options.flatMap(({ text, option, value }) => {
    if (value === undefined) return [text];
    const shown = isFact(option, value) ? value : '…';
    return bareOf(option) === undefined ? [text, shown] : [`${text}=${shown}`];
  });
  // Support needs the model that `svc generate` has as its first word.
  const named = namesModel(first?.completes, operands[0]) ? operands.slice(0, 1) : [];
  const more = operands.length > named.length ? ['…'] : [];
  return ['svc', ...path, ...named, ...words, ...more].join(' ');
}

/** Numbers, one of the choices, and the id of a model, by their form; no text is one. */
function isFact(option: Option, value: string): boolean {
  if (option.type === 'switch') return false;
  if (option.type === 'duration') return /^[\d.]{1,20}(?:ms|s|m|h)?$/.test(value);
  if (option.type !== 'text') return /^-?[\d.]{1,20}$/.test(value);
  if (option.choices) return option.choices.includes(value);
  return namesModel(option.completes, value);
}

function namesModel(completes: Argument['completes'], word = ''): boolean {
  const isModel = completes === 'model' || completes === 'media';
  return isModel && /^[\w.-]{1,40}\/[\w.:-]{1,80}$/.test(word);
}
