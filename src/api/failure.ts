/** Turns a failed call into an error that says what to do next. */
import type { Endpoint } from '../contract/endpoint.js';
import {
  ApiError,
  Incomplete,
  LocalFileError,
  NetworkError,
  OutcomeUnknown,
  SvcError,
  TimeoutError,
  type ApiErrorDetails,
  type ErrorCode,
} from '../errors.js';
import { AttemptFailed, type BodyCut } from '../http/types.js';
import { durationWords } from '../lib/duration.js';
import { numberOf } from '../lib/json.js';

const checkAddress = 'check the network and the base URL: `svc config get base_url`';

/** The error for what `send` threw: the signal's reason for an abort; other errors unchanged. */
export function failureError(failure: unknown, row: Pick<Endpoint, 'id' | 'retry'>): unknown {
  if (!(failure instanceof AttemptFailed)) return failure;
  const { cause, message, reason, sent } = failure;
  if (reason === 'aborted') return cause instanceof Error ? cause : failure;
  if (reason === 'body') {
    return cause instanceof SvcError ? cause : new LocalFileError(message, { cause });
  }
  const [code, usual] = wordsFor[reason];
  const [, better = usual] = betterHints.find(([words]) => words.test(message)) ?? [];
  const details = { code, hint: better, cause: failure };
  if (reason === 'unwanted') return new Incomplete(message, details);
  if (sent && row.retry !== 'safe') {
    const words = `${message}; ${mayBeDone(row)}`;
    return new OutcomeUnknown(words, { ...details, hint: outcomeHint(row) });
  }
  const isLate = /timeout$|^deadline$/.test(reason);
  return isLate ? new TimeoutError(message, details) : new NetworkError(message, details);
}

/** Whether the call may have been carried out, and charged, despite the failure. */
export function outcomeIsUnknown(error: unknown): error is OutcomeUnknown | ApiError {
  return error instanceof OutcomeUnknown || (error instanceof ApiError && error.outcomeUnknown);
}

type Reason = Exclude<AttemptFailed['reason'], 'aborted' | 'body'>;

const nameAuthority =
  'if your own authority signed it, set NODE_EXTRA_CA_CERTS to its certificate file';
/** By what a message tells beyond its reason. */
const betterHints = [
  [
    /certificate (?:has expired|is not yet valid)/,
    'check the date of this computer; if it is right, the service must renew its certificate',
  ],
  [
    /^proxy |\bthe proxy /,
    'check the proxy: its address is in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY',
  ],
] as const;
const runAgain = 'nothing was charged: run it again';

const wordsFor: Readonly<Record<Reason, readonly [code: ErrorCode, hint: string]>> = {
  'proxy-login': ['not_connected', checkAddress],
  resolve: ['unknown_host', checkAddress],
  connect: ['not_connected', checkAddress],
  'connect-timeout': ['connect_timeout', checkAddress],
  tls: ['tls', nameAuthority],
  reset: ['connection_dropped', runAgain],
  'first-byte-timeout': ['no_answer', runAgain],
  protocol: ['not_http', checkAddress],
  deadline: ['deadline', `${runAgain} with a longer --timeout`],
  truncated: ['truncated', runAgain],
  'idle-timeout': ['idle_timeout', runAgain],
  unwanted: ['invalid_reply', 'try again later'],
};

const cuts = ['truncated', 'deadline'] as const;

/** The code of an answer that was cut off. */
export function cutCode(what: 'answer' | 'speech' | 'stream', { reason }: BodyCut): ErrorCode {
  if (what === 'stream' && reason === 'aborted') return 'stream_aborted';
  const how = cuts.find((one) => one === reason);
  return `${what}_${how ?? (reason === 'idle-timeout' ? 'idle_timeout' : 'reset')}`;
}

/** The command that shows whether a call of each domain was carried out. */
const traces: Readonly<Record<string, string>> = {
  images: 'svc image list',
  media: 'svc jobs list',
  'media.extend': 'svc usage list',
  feedback: 'svc tickets list',
  tickets: 'svc tickets list',
  voices: 'svc voices list',
  webhooks: 'svc webhooks show',
};

export const mayBeCharged = 'may have been charged: `svc usage list` shows it';

const free: ReadonlySet<string> = new Set(['feedback', 'files', 'tickets', 'webhooks']);

export function mayBeDone({ id }: Pick<Endpoint, 'id'>): string {
  const charged = free.has(id.split('.')[0] ?? '') ? '' : ' and charged';
  return `it may have been carried out${charged}`;
}

export function outcomeHint({ id }: Pick<Endpoint, 'id'>): string {
  const command = traces[id] ?? traces[id.split('.')[0] ?? ''] ?? 'svc usage list';
  return `check whether it was carried out before you send it again: \`${command}\``;
}

export const checkGateway =
  'a gateway or another site may have answered, not the service; to check the base URL: `svc config get base_url`, `svc config set base_url URL`';

/** Whether something else answers at the base URL. A gateway that is busy is no such thing. */
export function isOfGateway({ isForeign, status }: Pick<ApiErrorDetails, 'isForeign' | 'status'>) {
  return isForeign === true && status < 500 && status !== 408 && status !== 429;
}

/** What to do after a refusal, unless its row or its fields say it better. */
export const usualHints = {
  401: 'check the key: `svc whoami`, or store another with `svc login`',
  402: 'top up in the web cabinet; to see what is left: `svc balance`',
  403: "add this machine's address to the key's allow-list in the web cabinet",
  404: 'list the models: `svc models list`',
} as const;

export function hintFor(
  row: Pick<Endpoint, 'id' | 'auth' | 'retry'>,
  {
    status,
    serviceCode = '',
    fields = {},
    retryAfterMs = Infinity,
    outcomeUnknown,
  }: ApiErrorDetails,
  message: string,
): string | undefined {
  const own = row.id === 'decisions.create' ? decisionHints[status] : undefined;
  if (outcomeUnknown) {
    return own && status === 504 ? `${outcomeHint(row)}; ${own}` : outcomeHint(row);
  }
  if (own !== undefined) return own;
  const wait = retryAfterMs === Infinity ? undefined : durationWords(retryAfterMs);
  switch (status) {
    case 401:
      return row.auth === 'session'
        ? 'this requires a current web cabinet session; a key is not enough: set its cookie in SVC_SESSION'
        : usualHints[status];
    case 402:
      // From svc run or svc proxy, whose message says what to do.
      if (/^(?:max_cost|budget|price_unknown)$/.test(serviceCode)) return undefined;
      return usualHints[status];
    case 403:
      return usualHints[status];
    case 404:
      if (!/model/i.test(serviceCode) && !/\bmodels?\b/i.test(message)) return undefined;
      return usualHints[status];
    case 409:
      if (serviceCode !== 'voice_slots_full') return undefined;
      return 'make room: `svc voices list`, then `svc voices delete NAME`';
    case 413: {
      // Section 2.11: payload_too_large names the largest accepted body.
      const bytes = numberOf(fields['max_body_bytes']);
      return bytes === undefined ? undefined : `the largest accepted body is ${bytes} bytes`;
    }
    case 429:
      return `wait ${wait ?? 'a little'}, then run it again`;
  }
  if (status < 500 || status === 501) return undefined;
  // Only a call that never charges certainly charged nothing.
  const noCharge = row.retry === 'safe' ? 'nothing was charged: ' : '';
  return `${noCharge}run it again in ${wait ?? 'a moment'}`;
}

const decisionHints: Readonly<Record<number, string>> = {
  400: 'see what was sent with --dry-run; `svc models pricing` shows the decisions models',
  502: 'the decisions model failed, not the request: run it again in a moment',
  504: 'a shorter state and fewer questions take less time',
};
