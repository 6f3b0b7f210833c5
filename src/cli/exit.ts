/** Turns an error into text and an exit code: the only place that picks the codes. */
import {
  ApiError,
  BalanceTooLow,
  ConfigError,
  Incomplete,
  JobFailed,
  LocalFileError,
  NetworkError,
  NotSo,
  OutcomeUnknown,
  Pending,
  PriceTooHigh,
  SvcError,
  TimeoutError,
  UsageError,
} from '../errors.js';
import type { JsonRecord } from '../lib/json.js';
import { redact } from '../lib/redact.js';
import { sanitiseJson } from '../terminal/screen.js';
import { ReaderGone } from '../terminal/writer.js';
import type { Output } from '../terminal/types.js';
import type { Command } from './declaration.js';
import { exitCodes } from './exit-codes.js';
import { faultLines, refusalDetails } from './refused-fields.js';

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ReaderGone) return exitCodes.readerGone;
  if (error instanceof ApiError) return apiExitCode(error);
  for (const [errorClass, code] of classes) if (error instanceof errorClass) return code;
  return exitCodes.bug;
}

const classes = [
  [UsageError, exitCodes.usage],
  [ConfigError, exitCodes.key],
  [NetworkError, exitCodes.unreached],
  [TimeoutError, exitCodes.unreached],
  [OutcomeUnknown, exitCodes.outcomeUnknown],
  [PriceTooHigh, exitCodes.money],
  [BalanceTooLow, exitCodes.money],
  [JobFailed, exitCodes.jobFailed],
  [Pending, exitCodes.pending],
  [Incomplete, exitCodes.incomplete],
  [NotSo, exitCodes.notSo],
  [LocalFileError, exitCodes.localFile],
] as const;

function apiExitCode({ status, code, outcomeUnknown }: ApiError): number {
  if (status === 401 || status === 403) return exitCodes.key;
  const isTooDear = code === 'media_max_price_exceeded' && !outcomeUnknown;
  if (status === 402 || isTooDear) return exitCodes.money;
  if (status === 429) return exitCodes.rateLimit;
  if (outcomeUnknown) return exitCodes.outcomeUnknown;
  // 501 is an answer about the request, not a failure that passes; 408 says it never arrived.
  if ((status >= 500 && status !== 501) || status === 408) return exitCodes.unreached;
  return exitCodes.refused;
}

interface Manners {
  readonly json: boolean;
  readonly debug: boolean;
  /** The command that failed, once the line has been read: its flags are named. */
  readonly command?: Command;
  /** What the words of a hint become. */
  readonly onward: (words: string) => string;
}

/** Tells an error on stderr, as one JSON object under --json. */
export function tellError(error: unknown, out: Output, options: Manners): void {
  const told: Told = { ...describe(error), details: refusalDetails(error) };
  if (told.hint) told.hint = options.onward(told.hint);
  if (options.json) {
    // Escaped, so that it is the same value on a terminal.
    out.error(sanitiseJson(JSON.stringify({ error: { exit: exitCodeOf(error), ...told } })));
  } else {
    out.error(`error: ${told.message}`);
    for (const line of faultLines(told.details, options.command)) out.error(`  ${line}`);
    if (told.hint) out.error(`hint: ${told.hint}`);
    if (told.requestId) out.error(`request id: ${told.requestId}`);
  }
  if (options.debug && error instanceof Error) out.error(redact(stackOf(error)));
}

interface Told {
  code?: string;
  status?: number;
  message: string;
  hint?: string;
  requestId?: string;
  /** What more the refusal of the service says, as it came. */
  details?: JsonRecord;
  retryAfterSeconds?: number;
}

function describe(error: unknown): Told {
  if (error instanceof ApiError) {
    return {
      code: error.code,
      status: error.status,
      message: error.message,
      hint: error.hint,
      requestId: Object.values(error.requestIds)[0],
      retryAfterSeconds: secondsOf(error.retryAfterMs),
    };
  }
  if (error instanceof SvcError) {
    return { code: error.code, message: error.message, hint: error.hint };
  }
  return {
    code: 'bug',
    message: `this is a bug in svc: ${redact(error instanceof Error ? error.message : String(error))}`,
    hint: 'run it again with SVC_DEBUG=1 and report what it prints',
  };
}

/** Undefined too for a wait that could not be read. */
function secondsOf(waitMs = Infinity): number | undefined {
  return waitMs === Infinity ? undefined : Math.ceil(waitMs / 1000);
}

function stackOf(error: Error): string {
  const own = error.stack ?? String(error);
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
