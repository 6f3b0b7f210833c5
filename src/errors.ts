/** Errors, by what the caller should do next; cli/exit.ts turns them into words. */
import type { ErrorCode } from './error-codes.js';
import { exits, type ExitName } from './exit-codes.js';
import { redact } from './lib/redact.js';

export type { ErrorCode };

export interface ErrorDetails {
  hint?: string;
  /** A stable word for programs. */
  code?: ErrorCode;
  /** The service's own, which comes before it. */
  serviceCode?: string | undefined;
  /** An error of svc passes its code on. */
  cause?: unknown;
}

/** The ids of a reply and, for trusted keys, its route, as --json names them. */
export type RequestIds = Readonly<
  Partial<Record<'requestId' | 'generationId' | 'jobId' | 'route' | 'model', string>> & {
    /** The request was not sent: these are the ids of the earlier one that its answer is from. */
    cached?: true;
  }
>;

/** The root: a failure that svc understands. The constructor removes secrets. */
export abstract class SvcError extends Error {
  static readonly usualCode: ErrorCode | undefined = undefined;
  abstract override readonly name: string;
  abstract readonly exit: ExitName;
  readonly hint: string | undefined;
  readonly code: string | undefined;

  constructor(message: string, { hint, code, serviceCode, cause }: ErrorDetails = {}) {
    super(redact(message), cause === undefined ? undefined : { cause });
    this.hint = hint && redact(hint);
    const ofCause = cause instanceof SvcError ? cause.code : undefined;
    const word = serviceCode ?? code ?? ofCause ?? new.target.usualCode;
    this.code = word && redact(word);
  }
}

/** @param usual its code where nothing says more. */
function errorClass<const Name extends string>(name: Name, exit: ExitName, usual?: ErrorCode) {
  return class extends SvcError {
    static override readonly usualCode = usual;
    override readonly name = name;
    override readonly exit = exit;
  };
}

/** The command line or its input is wrong; nothing was sent. Correct it and run it again. */
export class UsageError extends errorClass('UsageError', 'usage', 'usage') {}

/** No usable key, or settings that cannot be read. Nothing was sent. */
export class ConfigError extends errorClass('ConfigError', 'key') {}

export interface ApiErrorDetails extends ErrorDetails {
  status: number;
  requestIds?: RequestIds;
  /** The parsed body, for fields such as `violations` or `max_body_bytes`. */
  fields?: Readonly<Record<string, unknown>>;
  retryAfterMs?: number;
  /** The call may still have been carried out and charged. */
  outcomeUnknown?: boolean;
  /** An earlier attempt of the call may have been. */
  earlierUnknown?: boolean;
  /** Not in a form of the service: a gateway may have answered in its place. */
  isForeign?: boolean;
}

/** The service answered with a refusal or a failure of its own. */
export class ApiError extends SvcError {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly requestIds: RequestIds;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
  readonly outcomeUnknown: boolean;
  readonly earlierUnknown: boolean;
  readonly isForeign: boolean;
  readonly serviceCode: string | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.requestIds = details.requestIds ?? {};
    this.fields = details.fields ?? {};
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.earlierUnknown = details.earlierUnknown ?? false;
    this.isForeign = details.isForeign ?? false;
    this.serviceCode = details.serviceCode;
  }

  get exit(): ExitName {
    const { status, code } = this;
    if (this.outcomeUnknown) return 'outcomeUnknown';
    if (status === 401 || status === 403) return 'key';
    if (status === 402 || code === 'media_max_price_exceeded') return 'money';
    if (status === 429) return 'rateLimit';
    // 501 is an answer about the request, not a failure that passes; 408 says it never arrived.
    return (status >= 500 && status !== 501) || status === 408 ? 'unreached' : 'refused';
  }
}

/** Whether the service itself refused with one of these statuses: a gateway's page says nothing. */
export function isRefusal(error: unknown, ...statuses: readonly number[]): error is ApiError {
  return error instanceof ApiError && !error.isForeign && statuses.includes(error.status);
}

/** The service was not reached, or it failed a call that changes nothing: run it again. */
export class NetworkError extends errorClass('NetworkError', 'unreached') {}

/** A time limit passed before anything could have been charged: run it again. */
export class TimeoutError extends errorClass('TimeoutError', 'unreached') {}

/** For work of svc itself that took too long, which says nothing about its input. */
export function timedOut(work: string): TimeoutError {
  const details = { code: 'timed_out', hint: 'nothing was sent: run it again' } as const;
  return new TimeoutError(`${work} timed out`, details);
}

/** The request may have been accepted and charged; the hint says how to find out. */
export class OutcomeUnknown extends errorClass('OutcomeUnknown', 'outcomeUnknown') {}

/** The price is over the ceiling, or over the price that was shown; nothing was spent. */
export class PriceTooHigh extends errorClass('PriceTooHigh', 'money') {}

/** The user was asked, and did not agree to the price; the request was not sent. */
export class NotConfirmed extends errorClass('NotConfirmed', 'money', 'not_confirmed') {}

export class BalanceTooLow extends errorClass('BalanceTooLow', 'money') {}

export class JobFailed extends errorClass('JobFailed', 'jobFailed') {}

/** Still pending when the time limit passed; the hint says how to continue. */
export class Pending extends errorClass('Pending', 'pending', 'pending') {}

/** Part of the result is missing: a truncated stream or file, or some of several results. */
export class Incomplete extends errorClass('Incomplete', 'incomplete') {}

export class LocalFileError extends errorClass('LocalFileError', 'localFile', 'local_file') {}

/** A check had a negative result, perhaps that of its cause. Everything has been printed. */
export class NegativeResult extends Error {
  override readonly name = 'NegativeResult';
  /** Of the command that svc ran. */
  readonly exitCode?: number;
}

/** The reader of stdout is gone: all work in progress ends, and nothing is said. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** Ended by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Ends a command under --dry-run and --curl with what it would have sent. */
export class NothingSent extends Error {
  override readonly name = 'NothingSent';
  constructor(readonly shown: { json: unknown } | { shell: string }) {
    super('nothing was sent');
  }
}

/** Of anything that was thrown; what svc does not know is a bug. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof NegativeResult) {
    return error.exitCode ?? (error.cause === undefined ? exits.notSo[0] : exitCodeOf(error.cause));
  }
  if (error instanceof ReaderGone) return exits.readerGone[0];
  return exits[error instanceof SvcError ? error.exit : 'bug'][0];
}

/** libsql's native part is an optional package, which an installation may lack. */
function noLibsql(cause: unknown): LocalFileError {
  return new LocalFileError('svc is installed without libsql, which it needs for its files', {
    hint: 'use Node 22.16 or newer, or reinstall it with its optional dependencies; until then set SVC_API_KEY and SVC_BASE_URL',
    code: 'no_libsql',
    cause,
  });
}

/** A failure outside svc as an SvcError; any other error is returned unchanged. */
export function knownFailure(error: unknown): unknown {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return new LocalFileError('the working folder does not exist any more', {
      hint: 'change to another folder: cd ~',
      code: 'local_file',
      cause: error,
    });
  }
  const isMissing =
    error instanceof Error && error.message.includes("Cannot find module '@libsql/");
  return isMissing ? noLibsql(error) : error;
}
