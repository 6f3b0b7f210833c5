/** Turns a row and its input into a request, and checks it before anything is sent. */
import type * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.js';
import { explain } from '../contract/explain.js';
import { UsageError, ConfigError, type RequestIds } from '../errors.js';
import { timeoutsFor } from '../http/deadline.js';
import type { HttpRequest, HttpResponse } from '../http/types.js';
import { plainText } from '../lib/plain-text.js';
import type { Client } from './client.js';
import type { Brand } from '../contract/brand.js';
import { isLoopback } from '../lib/address.js';
import { redact } from '../lib/redact.js';
import { toJson } from '../lib/json.js';

const json = 'application/json';

export interface Payload {
  readonly contentType: string;
  readonly body: NonNullable<HttpRequest['body']>;
}

/** Header names may contain `{brand}`; a payload replaces the body, which is checked anyway. */
export type RequestOptions = Pick<RawRequest, 'headers' | 'payload' | 'accept' | 'slow'>;

export function prepare(
  client: Client,
  row: Endpoint,
  { params = {}, query = {}, body }: { params?: Headers; query?: unknown; body?: unknown },
  options: RequestOptions = {},
): HttpRequest {
  const { brand } = client;
  check(row.query, query, 'the query');
  if (body !== undefined || !options.payload) check(row.body, body, 'the request');
  const inJson = body !== undefined && { contentType: json, body: toJson(body) };
  const payload = options.payload ?? (inJson || undefined);
  if (payload) checkSize(row, payload);
  const headers = Object.entries(options.headers ?? {});
  return prepareRaw(client, {
    ...options,
    method: row.method,
    path: fill(brand.path(row.path), params) + queryText(query),
    isKeyed: row.auth === 'bearer' || row.auth === 'key',
    hasSession: row.auth === 'session',
    headers: Object.fromEntries(headers.map(([name, value]) => [brand.path(name), value])),
    payload,
    slow: options.slow ?? row.slow,
  });
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly isKeyed: boolean;
  readonly hasSession?: boolean;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: Payload;
  readonly slow?: boolean;
}

export function prepareRaw(client: Client, raw: RawRequest): HttpRequest {
  const { accept = json, method, path, payload } = raw;
  // The base may have a path of its own, to which the service's paths are appended.
  const address = client.baseUrl.origin + client.baseUrl.pathname.replace(/\/+$/, '') + path;
  if (!path.startsWith('/') || !URL.canParse(address)) {
    throw new UsageError('a path starts with a slash: /v1/models', { code: 'invalid_input' });
  }
  const url = new URL(address);
  url.hash = '';
  return {
    method,
    url,
    headers: {
      accept,
      'user-agent': client.userAgent,
      ...(payload ? { 'content-type': payload.contentType } : {}),
      ...checkedHeaders(raw.headers ?? {}),
      ...(raw.isKeyed ? { authorization: authorization(client) } : {}),
      ...(raw.hasSession ? { cookie: sessionHeader(client) } : {}),
    },
    body: payload?.body,
    timeouts: timeoutsFor(raw.slow ?? false, client.timeouts),
  };
}

function check(schema: z.ZodMiniType | undefined, value: unknown, subject: string): void {
  const parsed = schema?.safeParse(value);
  if (parsed?.error) {
    throw new UsageError(explain(parsed.error, value, subject), { code: 'invalid_input' });
  }
}

function checkSize({ maxBodyBytes = Infinity }: Endpoint, { body }: Payload): void {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (length <= maxBodyBytes) return;
  const message = `the request has ${length} bytes; the service accepts at most ${maxBodyBytes}`;
  throw new UsageError(message, { code: 'payload_too_large' });
}

function fill(template: string, params: Headers): string {
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name] ?? '';
    // Dots alone would be read as path steps, and reach another endpoint.
    if (value === '' || value === '.' || value === '..') {
      throw new UsageError(value === '' ? `${name} is empty` : `${name} cannot be "${value}"`);
    }
    return encodeURIComponent(value);
  });
}

function queryText(query: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

type Headers = Readonly<Record<string, string>>;

/** The headers of ids in a reply and, for trusted keys, of its route (sections 2.12, 4.7, 4.10). */
const idHeaders = [
  ['requestId', 'request-id'],
  ['generationId', 'generation-id'],
  ['jobId', 'media-job-id'],
  ['route', 'route'],
  ['model', 'model'],
] as const;

/** The ids of a reply: `generationId` from `x-svc-generation-id`. */
export function idsIn(
  { headers, isCached }: Pick<HttpResponse, 'headers' | 'isCached'>,
  brand: Brand,
): RequestIds {
  const ids = idHeaders.flatMap(([name, header]) => {
    // Public services of these formats name it without a brand.
    const plainId = name === 'requestId' ? (headers['x-request-id'] ?? headers[header]) : undefined;
    const value = headers[brand.header(header)] ?? plainId ?? '';
    const id = value === '' ? '' : plainText(redact(value), 200);
    return id === '' ? [] : [[name, id] as const];
  });
  return { ...Object.fromEntries(ids), ...(isCached && { cached: true }) };
}

/** The Authorization header of a call. @throws ConfigError without a key that can be sent safely. */
export function authorization({ key, baseUrl }: Pick<Client, 'key' | 'baseUrl'>): string {
  if (!key) throw missingKey();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const hint = 'run `svc login` and paste the key again';
    throw new ConfigError('the key contains an invalid character', { code: 'bad_key', hint });
  }
  assertEncrypted(baseUrl, 'key');
  return `Bearer ${key}`;
}

/** The Cookie header of a session (section 5), unchanged: the cabinet's format is not shown. */
function sessionHeader({ session, baseUrl }: Pick<Client, 'session' | 'baseUrl'>): string {
  const hint =
    "log in to the web cabinet in a browser, copy the Cookie header of any request and set it: SVC_SESSION='name=value'";
  if (!session) {
    const message = 'this requires a web cabinet session; a key is not enough';
    throw new ConfigError(message, { code: 'no_session', hint });
  }
  if (!/^[\x20-\x7e]+$/.test(session) || !/^[^\s=;,]+=/.test(session)) {
    const message = 'SVC_SESSION is not a cookie of the form name=value';
    throw new ConfigError(message, { code: 'bad_session', hint });
  }
  assertEncrypted(baseUrl, 'session');
  return session;
}

export function missingKey(message = 'no key is set'): ConfigError {
  return new ConfigError(message, { code: 'no_key', hint: 'run `svc login` or set SVC_API_KEY' });
}

export function assertEncrypted({ protocol, hostname, host }: URL, what: 'key' | 'session'): void {
  if (protocol === 'https:' || isLoopback(hostname)) return;
  throw new ConfigError(`the ${what} would be sent unencrypted to ${host}`, {
    code: `cleartext_${what}`,
    hint: 'http is only for this machine: use an https base URL: `svc config set base_url https://…`',
  });
}

/** Headers that a caller adds, in lower case. A value is never quoted: it may be a secret. */
function checkedHeaders(headers: Headers): Headers {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new UsageError(`${JSON.stringify(plainText(name, 80))} is not a header name`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new UsageError(`the header ${name} contains an invalid character`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}
