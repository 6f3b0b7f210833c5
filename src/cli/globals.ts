/** The flags that mean the same everywhere, as data, and their parsed form. */
import {
  defaultTimeouts,
  slowFirstByteMs,
  usualRetryWaitMs,
  durationText,
} from '../lib/duration.js';
import type { GlobalFlags } from './context.js';
import type { Options } from './declaration.js';

export const globalOptions = {
  json: { type: 'switch', summary: 'print the result, and failures, as JSON', heading: 'Output' },
  quiet: {
    type: 'switch',
    short: 'q',
    summary: 'say nothing on stderr but warnings and errors',
    heading: 'Output',
  },
  verbose: {
    type: 'switch',
    short: 'v',
    summary: 'show each request on stderr, secrets hidden',
    heading: 'Output',
  },
  local: {
    type: 'switch',
    summary: 'use the embedded service: offline, no account',
    heading: 'Service',
  },
  baseUrl: {
    type: 'text',
    value: 'URL',
    summary: 'where the service is (SVC_BASE_URL)',
    heading: 'Service',
  },
  profile: {
    type: 'text',
    value: 'NAME',
    summary: 'the profile to use (SVC_PROFILE)',
    heading: 'Service',
  },
  dryRun: {
    type: 'switch',
    summary: 'print the request as JSON, send nothing',
    heading: 'Service',
  },
  curl: { type: 'switch', summary: 'print the request as a curl command', heading: 'Service' },
  timeout: {
    type: 'duration',
    value: 'TIME',
    summary: 'give up after this long in all (30s, 5m)',
    heading: 'Time',
  },
  connectTimeout: {
    type: 'duration',
    value: 'TIME',
    summary: 'time to connect',
    default: durationText(defaultTimeouts.connectMs),
    heading: 'Time',
  },
  firstByteTimeout: {
    type: 'duration',
    value: 'TIME',
    summary: `time for an answer to begin; ${durationText(slowFirstByteMs)} where it is made meanwhile`,
    default: durationText(defaultTimeouts.firstByteMs),
    heading: 'Time',
  },
  idleTimeout: {
    type: 'duration',
    value: 'TIME',
    summary: 'time for an answer to go on',
    default: durationText(defaultTimeouts.idleMs),
    heading: 'Time',
  },
  retryWait: {
    type: 'duration',
    value: 'TIME',
    summary: 'how long to wait in all where the service asks to, without --timeout',
    default: durationText(usualRetryWaitMs),
    heading: 'Time',
  },
  yes: { type: 'switch', summary: 'answer every confirmation with yes', heading: 'Questions' },
  input: {
    type: 'switch',
    negated: true,
    summary: 'never ask; fail instead',
    heading: 'Questions',
  },
} as const satisfies Options;

/** Values as commander parsed them, by option name. */
export type ParsedOptions = Readonly<Record<string, unknown>>;

/** The global flags that were given; times are in milliseconds. */
export function globalFlagsFrom(parsed: ParsedOptions): GlobalFlags {
  return {
    json: parsed['json'] === true,
    quiet: parsed['quiet'] === true,
    verbose: parsed['verbose'] === true,
    local: parsed['local'] === true,
    dryRun: parsed['dryRun'] === true,
    curl: parsed['curl'] === true,
    yes: parsed['yes'] === true,
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
