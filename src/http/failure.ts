/** Names connection errors, from those of the system and the parser. */
import { codeOf } from '../lib/error-code.js';
import { AttemptFailed, type FailureReason } from './types.js';

/** Why a connection, perhaps to a proxy, failed; nothing was sent. */
export function connectFailure({ host }: URL, cause: unknown, isProxy = false): AttemptFailed {
  if (cause instanceof AttemptFailed) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const [reason, words] = connectReason(firstCodeOf(cause), message);
  return new AttemptFailed(reason, false, `${isProxy ? 'proxy ' : ''}${host}: ${words}`, cause);
}

/** Why a request that may have been sent got no answer. */
export function exchangeFailure(url: URL, cause: unknown): AttemptFailed {
  const code = firstCodeOf(cause);
  const isTooLong = /HEADERS?_OVERFLOW$/.test(code);
  // Of the parser's errors, Node's have a code, and undici's only a name.
  const isOfParser = cause instanceof Error && cause.name === 'HTTPParserError';
  const isMalformed = isTooLong || isOfParser || code.startsWith('HPE_');
  let words = 'the connection dropped before an answer arrived';
  if (isMalformed) words = 'the server does not speak HTTP';
  if (isTooLong) words = 'the headers of the answer are too large';
  const reason = isMalformed ? 'protocol' : 'reset';
  return new AttemptFailed(reason, true, `${url.host}: ${words}`, cause);
}

/** The code of a system error, or of the first of several; empty without one. */
export function firstCodeOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return code;
  return error instanceof AggregateError ? firstCodeOf(error.errors[0]) : '';
}

type Named = readonly [reason: FailureReason, words: string];

const connectReasons: Readonly<Record<string, Named>> = {
  ENOTFOUND: ['resolve', 'there is no such host'],
  EAI_AGAIN: ['connect', 'the host name cannot be looked up at the moment'],
  ETIMEDOUT: ['connect-timeout', 'the host does not respond'],
  ECONNREFUSED: ['connect', 'the connection was refused'],
  ECONNRESET: ['connect', 'the connection dropped while it was being opened'],
  EHOSTUNREACH: ['connect', 'the host cannot be reached from here'],
  ENETUNREACH: ['connect', 'the network cannot be reached'],
};

/** OpenSSL's codes for an unverified certificate, and Node's for a wrong name. */
const untrusted =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID$|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

function connectReason(code: string, message: string): Named {
  const known = connectReasons[code];
  if (known) return known;
  // Newer versions of Node add advice for programmers.
  const [words] = message.split('; ');
  if (untrusted.test(code)) return ['tls', `its certificate is not trusted (${words})`];
  if (/^(ERR_TLS|ERR_SSL|EPROTO)/.test(code)) {
    return ['tls', 'the TLS handshake failed; does the server speak https?'];
  }
  return ['connect', `no connection${code ? ` (${code})` : ''}`];
}
