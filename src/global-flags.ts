/** The flags that mean the same everywhere, as data and as parsed. */
import {
  defaultTimeouts,
  slowFirstByteMs,
  usualRetryWaitMs,
  durationText,
} from './lib/duration.js';
import { isAgent, type Env } from './lib/env.js';
import { numberOf, textOf } from './lib/json.js';
import { duration, flag, number, text, under, type Options } from './command.js';

const limit = (summary: string, usualMs: number) =>
  duration('TIME', summary, { default: durationText(usualMs) });

export const globalOptions = {
  ...under('Output', {
    json: flag('print results and errors as JSON'),
    jq: text('EXPR', 'filter the JSON with an expression of jq; implies --json'),
    raw: flag('with --jq, print strings without quotes'),
    fields: text('NAMES', 'keep only these fields of the JSON (id,cost.priceRub); implies --json'),
    header: flag('with a table in a pipe, print the names of its columns first'),
    quiet: flag('print only warnings and errors on stderr', { short: 'q' }),
    verbose: flag('show each request on stderr, with secrets hidden', { short: 'v' }),
  }),
  ...under('Service', {
    local: flag('use the embedded service: offline, no account'),
    baseUrl: text('URL', 'the address of the service (SVC_BASE_URL)'),
    profile: text('NAME', 'the profile to use (SVC_PROFILE)', { completes: 'profile' }),
    dryRun: flag('print the request as JSON, and send nothing'),
    curl: flag('print the request as a curl command, and send nothing'),
  }),
  ...under('Time', {
    timeout: duration('TIME', 'total time limit (30s, 5m)'),
    connectTimeout: limit('time limit for connecting', defaultTimeouts.connectMs),
    firstByteTimeout: limit(
      `time limit for an answer to start; ${durationText(slowFirstByteMs)} where it has to be made first`,
      defaultTimeouts.firstByteMs,
    ),
    idleTimeout: limit('time limit between two parts of an answer', defaultTimeouts.idleMs),
    retryWait: limit(
      'total time to wait when the service asks for it, unless --timeout is given',
      usualRetryWaitMs,
    ),
  }),
  ...under('Money', {
    maxCost: number('RUB', 'the most that the command may spend, all its requests together', {
      min: 0,
    }),
  }),
  ...under('Questions', {
    yes: flag('answer yes to every confirmation'),
    input: flag('never ask; fail instead', { negated: true }),
  }),
} as const satisfies Options;

/** Where the line names no command, and on each line. */
export const versionOption = { version: flag('print the version', { short: 'V' }) };
export const helpOption = {
  help: flag('show help; --all for more', { short: 'h', heading: 'Help' }),
};
/** Beside help only. */
export const fullOption = { all: flag('with --help, list all commands and options') };

export type ParsedOptions = Readonly<Record<string, unknown>>;

/** The flags of every command, as one line gave them. */
export interface GlobalFlags {
  readonly json: boolean;
  /** An expression of jq, and names of fields, that filter the JSON. */
  readonly jq: string | undefined;
  readonly fields: string | undefined;
  /** With `jq`: strings without quotes. */
  readonly raw: boolean;
  /** A table in a pipe begins with the names of its columns. */
  readonly header: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** The embedded service. */
  readonly local: boolean;
  /** Shows the request instead of sending it: as JSON or, with `curl`, as a command. */
  readonly dryRun: boolean;
  readonly curl: boolean;
  /** Every confirmation is answered with yes. */
  readonly yes: boolean;
  /** False: nothing is asked. */
  readonly input: boolean;
  /** Whether a conversation starts the tools that it has kept; a call of svc mcp sets it. */
  readonly keptTools: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly retryWaitMs: number | undefined;
  readonly maxCostRub: number | undefined;
}

export function globalFlagsFrom(parsed: ParsedOptions, env: Env = {}): GlobalFlags {
  const isOn = (name: keyof typeof globalOptions) => parsed[name] === true;
  const [jq, fields] = [textOf(parsed['jq']), textOf(parsed['fields'])];
  return {
    json: isOn('json') || jq !== undefined || fields !== undefined,
    jq,
    fields,
    raw: isOn('raw'),
    header: isOn('header'),
    quiet: isOn('quiet'),
    verbose: isOn('verbose'),
    local: isOn('local') || Boolean(env['SVC_LOCAL']),
    dryRun: isOn('dryRun') || isOn('curl'),
    curl: isOn('curl'),
    yes: isOn('yes'),
    input: parsed['input'] !== false && !isAgent(env),
    keptTools: true,
    profile: textOf(parsed['profile']),
    baseUrl: textOf(parsed['baseUrl']),
    timeoutMs: numberOf(parsed['timeout']),
    connectTimeoutMs: numberOf(parsed['connectTimeout']),
    firstByteTimeoutMs: numberOf(parsed['firstByteTimeout']),
    idleTimeoutMs: numberOf(parsed['idleTimeout']),
    retryWaitMs: numberOf(parsed['retryWait']),
    maxCostRub: numberOf(parsed['maxCost']),
  };
}
