/** The headers of every call, and what a reply's headers tell. */
import type { Brand } from '../contract/brand.js';
import { ConfigError, UsageError, type RequestIds } from '../errors.js';
import { isLoopback } from '../lib/loopback.js';
import { plainText } from '../lib/plain-text.js';
import { redact } from '../lib/redact.js';
import type { Client } from './client.js';

type Headers = Readonly<Record<string, string>>;

/** Names under which a reply may tell ids and, to trusted keys, its route (sections 2.12, 4.7, 4.10). */
const idNames = ['request-id', 'generation-id', 'media-job-id', 'route', 'model'] as const;

/**
 * The ids of a reply by their name without the brand: `generation-id` from `x-svc-generation-id`.
 * @param headers lower-case names.
 */
export function idsIn(headers: Headers, brand: Brand): RequestIds {
  const ids: Record<string, string> = {};
  for (const name of idNames) {
    const value = headers[brand.header(name)] ?? (name === 'request-id' ? plainId(headers) : '');
    const id = plainText(redact(value), 200);
    if (id !== '') ids[name] = id;
  }
  return ids;
}

/** What public services of these formats call it. */
function plainId(headers: Headers): string {
  return headers['x-request-id'] ?? headers['request-id'] ?? '';
}

/**
 * The Authorization header of a call that carries the key.
 * @throws ConfigError when there is no usable key, or the way there would show it to others.
 */
export function authorization({ key, baseUrl }: Pick<Client, 'key' | 'baseUrl'>): string {
  if (!key) throw noKey();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError('the key holds a character that no key has', {
      code: 'bad_key',
      hint: 'run `svc login` and paste the key again',
    });
  }
  refuseCleartext(baseUrl, 'key');
  return `Bearer ${key}`;
}

/**
 * The Cookie header of a call that is for a session of the web cabinet (section 5); how the cabinet
 * makes one is not shown, so it is sent as it was given.
 * @throws ConfigError when there is none that can be sent, or the way there would show it to others.
 */
export function sessionHeader({ session, baseUrl }: Pick<Client, 'session' | 'baseUrl'>): string {
  const hint =
    "log in to the web cabinet in a browser, copy the Cookie header of one of its requests, and set it: SVC_SESSION='name=value'";
  if (!session) {
    throw new ConfigError('this is for a session of the web cabinet; a key is not enough', {
      code: 'no_session',
      hint,
    });
  }
  if (!/^[\x20-\x7e]+$/.test(session) || !/^[^\s=;,]+=/.test(session)) {
    throw new ConfigError('SVC_SESSION is no cookie: it has the form name=value', {
      code: 'bad_session',
      hint,
    });
  }
  refuseCleartext(baseUrl, 'session');
  return session;
}

/** The failure of a call that needs a key. */
export function noKey(message = 'no key is known'): ConfigError {
  return new ConfigError(message, {
    code: 'no_key',
    hint: 'run `svc login` or set SVC_API_KEY',
  });
}

/** @throws ConfigError when the way there would show a secret to others. */
export function refuseCleartext({ protocol, hostname, host }: URL, what: 'key' | 'session'): void {
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new ConfigError(`the ${what} would travel unencrypted to ${host}`, {
    code: `cleartext_${what}`,
    hint: 'http is for this machine only: use an https base URL, as in `svc config set base_url https://…`',
  });
}

/**
 * Headers that a caller adds, in lower case.
 * @throws UsageError for what cannot travel in a header; the value is not quoted.
 */
export function checkedHeaders(headers: Headers): Headers {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new UsageError(`${JSON.stringify(plainText(name, 80))} is no header name`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new UsageError(`the header ${name} holds a character that no header can carry`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
