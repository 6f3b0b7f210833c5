/** Turns a call that brought no whole answer into an error that says what to do next. */
import type { Endpoint } from '../contract/endpoint.js';
import {
  ApiError,
  Incomplete,
  LocalFileError,
  NetworkError,
  OutcomeUnknown,
  SvcError,
  TimeoutError,
} from '../errors.js';
import { AttemptFailed, BodyCut } from '../http/types.js';
import { howToFindOut, mayBeDone } from './hints.js';

const checkAddress = 'check the network and the base URL: `svc config get base_url`';

/**
 * The error for what `send` threw. What is no failure of the line comes back as it is; an abort
 * comes back as the reason the signal gave.
 */
export function failureError(failure: unknown, row: Pick<Endpoint, 'id' | 'retry'>): unknown {
  if (!(failure instanceof AttemptFailed || failure instanceof BodyCut)) return failure;
  const { cause, message, reason } = failure;
  if (reason === 'aborted') return cause instanceof Error ? cause : failure;
  if (reason === 'body') {
    return cause instanceof SvcError ? cause : new LocalFileError(message, { cause });
  }
  if (reason === 'unwanted') {
    return new Incomplete(message, { code: codes[reason], hint: hints[reason], cause: failure });
  }
  const hasLeft = failure instanceof BodyCut || failure.sent;
  if (hasLeft && row.retry !== 'safe') {
    return new OutcomeUnknown(`${message}; ${mayBeDone(row)}`, {
      code: codes[reason],
      hint: howToFindOut(row),
      cause: failure,
    });
  }
  const details = { code: codes[reason], hint: hints[reason], cause: failure };
  return late.has(reason) ? new TimeoutError(message, details) : new NetworkError(message, details);
}

/** Whether what failed may have been carried out, and charged, all the same. */
export function outcomeIsUnknown(error: unknown): error is OutcomeUnknown | ApiError {
  return error instanceof OutcomeUnknown || (error instanceof ApiError && error.outcomeUnknown);
}

/**
 * The failure of a call that never charges, and may be sent again as it was.
 * @param hint how, and what the service knows it again by.
 */
export function repeatable(error: unknown, hint: string): unknown {
  if (!outcomeIsUnknown(error)) return error;
  return new OutcomeUnknown(error.message, { code: error.code, hint, cause: error });
}

type Reason = Exclude<AttemptFailed['reason'] | BodyCut['reason'], 'aborted' | 'body'>;

const late: ReadonlySet<Reason> = new Set<Reason>([
  'connect-timeout',
  'first-byte-timeout',
  'idle-timeout',
  'deadline',
]);

const codes: Readonly<Record<Reason, string>> = {
  resolve: 'unknown_host',
  connect: 'not_connected',
  'connect-timeout': 'connect_timeout',
  tls: 'tls',
  reset: 'connection_dropped',
  'first-byte-timeout': 'no_answer',
  protocol: 'not_http',
  deadline: 'deadline',
  truncated: 'truncated',
  'idle-timeout': 'idle_timeout',
  unwanted: 'invalid_reply',
};

const runAgain = 'nothing was charged: run it again';

const hints: Readonly<Record<Reason, string>> = {
  resolve: checkAddress,
  connect: checkAddress,
  'connect-timeout': checkAddress,
  tls: 'if an authority of your own signs it, name its certificate file in NODE_EXTRA_CA_CERTS',
  reset: runAgain,
  'first-byte-timeout': runAgain,
  protocol: checkAddress,
  deadline: `${runAgain}, and give it longer with --timeout`,
  truncated: runAgain,
  'idle-timeout': runAgain,
  unwanted: 'look for it again a little later',
};
