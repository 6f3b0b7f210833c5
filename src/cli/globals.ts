/** The flags that mean the same everywhere, as data and as parsed. */
import {
  defaultTimeouts,
  slowFirstByteMs,
  usualRetryWaitMs,
  durationText,
} from '../lib/duration.js';
import { numberOf, textOf } from '../lib/json.js';
import { duration, flag, text, under, type Options } from './declaration.js';

const limit = (summary: string, usualMs: number) =>
  duration('TIME', summary, { default: durationText(usualMs) });

export const globalOptions = {
  ...under('Output', {
    json: flag('print the result, and failures, as JSON'),
    quiet: flag('say nothing on stderr but warnings and errors', { short: 'q' }),
    verbose: flag('show each request on stderr, secrets hidden', { short: 'v' }),
  }),
  ...under('Service', {
    local: flag('use the embedded service: offline, no account'),
    baseUrl: text('URL', 'where the service is (SVC_BASE_URL)'),
    profile: text('NAME', 'the profile to use (SVC_PROFILE)'),
    dryRun: flag('print the request as JSON, send nothing'),
    curl: flag('print the request as a curl command'),
  }),
  ...under('Time', {
    timeout: duration('TIME', 'give up after this long in all (30s, 5m)'),
    connectTimeout: limit('time to connect', defaultTimeouts.connectMs),
    firstByteTimeout: limit(
      `time for an answer to begin; ${durationText(slowFirstByteMs)} where it is made meanwhile`,
      defaultTimeouts.firstByteMs,
    ),
    idleTimeout: limit('time for an answer to go on', defaultTimeouts.idleMs),
    retryWait: limit(
      'how long to wait in all where the service asks to, without --timeout',
      usualRetryWaitMs,
    ),
  }),
  ...under('Questions', {
    yes: flag('answer every confirmation with yes'),
    input: flag('never ask; fail instead', { negated: true }),
  }),
} as const satisfies Options;

export type ParsedOptions = Readonly<Record<string, unknown>>;

export type GlobalFlags = Readonly<ReturnType<typeof globalFlagsFrom>>;

export function globalFlagsFrom(parsed: ParsedOptions) {
  const isOn = (name: keyof typeof globalOptions) => parsed[name] === true;
  return {
    json: isOn('json'),
    quiet: isOn('quiet'),
    verbose: isOn('verbose'),
    local: isOn('local'),
    /** Nothing is sent: the request is shown, as JSON or, with `curl`, as a command. */
    dryRun: isOn('dryRun') || isOn('curl'),
    curl: isOn('curl'),
    yes: isOn('yes'),
    input: parsed['input'] !== false,
    profile: textOf(parsed['profile']),
    baseUrl: textOf(parsed['baseUrl']),
    timeoutMs: numberOf(parsed['timeout']),
    connectTimeoutMs: numberOf(parsed['connectTimeout']),
    firstByteTimeoutMs: numberOf(parsed['firstByteTimeout']),
    idleTimeoutMs: numberOf(parsed['idleTimeout']),
    retryWaitMs: numberOf(parsed['retryWait']),
  };
}
