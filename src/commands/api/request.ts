/** What a line of svc api requests: its path, headers and body. */
import { unlistedRow } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { authorization, assertEncrypted, type Payload } from '../../api/prepare.js';
import type { Context } from '../../context.js';
import type { InputOf } from '../../command.js';
import type { Brand } from '../../contract/brand.js';
import type { Endpoint } from '../../contract/endpoint.js';
import { makeRouter } from '../../contract/route.js';
import { UsageError } from '../../errors.js';
import { statNamed, openNamed, readBytes, readText } from '../../files/named-file.js';
import { fileBody } from '../../http/request-body.js';
import { isJsonNumber, keepDigits, toJson } from '../../lib/json.js';
import { textIn } from '../../lib/file-kind.js';
import { keyHeaders, rememberHeader } from '../../lib/redact.js';
import type { api } from './index.js';

export type ApiOptions = InputOf<typeof api>['options'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function methodFrom(word: string): string {
  const method = word.toUpperCase();
  if (methods.includes(method)) return method;
  throw new UsageError(`"${word}" is not a method; use one of ${methods.join(', ')}`, {
    code: 'invalid_method',
    hint: 'svc api GET /v1/models',
  });
}

const transportHeaders =
  /^(?:host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

type Headers = Readonly<Record<string, string>>;

/** The additional headers, in lower case; duplicates are joined. @throws UsageError */
export function headersFrom(lines: ApiOptions['header']): Headers {
  const headers = new Map<string, string>();
  for (const header of lines) {
    const [, name = '', value = ''] = /^([^:]+):([^]*)$/.exec(header) ?? [];
    const key = name.trim().toLowerCase();
    // The value is not quoted: it may be a key.
    if (key === '')
      throw new UsageError("a header has the form 'NAME: VALUE'", { code: 'invalid_header' });
    if (transportHeaders.test(key)) {
      throw new UsageError(`svc sets the header ${key} itself`, { code: 'invalid_header' });
    }
    const before = headers.get(key);
    headers.set(key, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return Object.fromEntries(headers);
}

/** Secrets in headers follow the rules of the key. @throws ConfigError without encryption */
export function guardSecrets({ baseUrl }: Client, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!rememberHeader(name, value)) continue;
    if (keyHeaders.includes(name)) authorization({ key: value.split(/\s+/).at(-1), baseUrl });
    else assertEncrypted(baseUrl, 'key');
  }
}

/** Whether svc adds the key: never in addition to another. @throws ConfigError without a key. */
export async function carriesKey(
  context: Context,
  client: Client,
  { auth }: PathRow,
  headers: Headers,
): Promise<boolean> {
  if (auth === 'none' || auth === 'signature') return false;
  if (keyHeaders.some((name) => name in headers)) return false;
  if (client.key !== undefined) return true;
  if ('cookie' in headers) return false;
  await context.client();
  return true;
}

/** What is known of a path: its row of the contract, or as much as its method says. */
export type PathRow = Partial<Endpoint> & Pick<Endpoint, 'id' | 'auth' | 'retry' | 'statuses'>;

export async function rowFor(method: string, path: string, brand: Brand): Promise<PathRow> {
  const { endpoints } = await import('../../contract/index.js');
  // Many servers read these as the same path.
  const pathname = path
    .replace(/\?.*$/s, '')
    .replace(/%[3-7][\da-f]/gi, (code) => decodeURIComponent(code))
    .replace(/\/+/g, '/');
  const { match } = makeRouter<Endpoint>(endpoints, brand, true)(method, pathname);
  return match?.row ?? { ...unlistedRow(method), auth: 'bearer' };
}

export async function contentFrom(
  { stdin }: Pick<Context, 'stdin'>,
  method: string,
  options: ApiOptions,
  contentType = 'application/json',
): Promise<{ query: string; payload: Payload | undefined }> {
  const { input } = options;
  const fields = await fieldsFrom(stdin, options);
  const query = new URLSearchParams();
  for (const { name, text, value } of fields) query.append(name, value === null ? '' : text);
  const hasNoBody = method === 'GET' || method === 'HEAD';
  if (input !== undefined) {
    if (hasNoBody) {
      throw new UsageError(`${method} has no body, so --input cannot be used`, {
        hint: 'svc api POST PATH --input FILE',
      });
    }
    const body = input === '-' ? textOrBytes(await stdin.bytes()) : await bodyIn(input);
    return { query: query.toString(), payload: { contentType, body } };
  }
  if (hasNoBody || fields.length === 0) return { query: query.toString(), payload: undefined };
  return { query: '', payload: { contentType, body: toJson(objectFrom(fields)) } };
}

/** Raw fields first, in the given order. @throws UsageError */
async function fieldsFrom(stdin: Context['stdin'], { field, rawField, input }: ApiOptions) {
  const readers = [
    ...field.filter((one) => /^[^=]*=@-$/.test(one)),
    ...(input === '-' ? ['-'] : []),
  ];
  if (readers.length > 1) throw new UsageError('stdin can be read only once');
  const fields = rawField.map(splitField).map((one): ApiField => ({ ...one, value: one.text }));
  for (const { name, text: source } of field.map(splitField)) {
    const readFrom = async () =>
      source === '@-'
        ? (await stdin.text()).replace(/^\ufeff/, '')
        : readText(source.slice(1), `the field ${name}`);
    const isFile = source.startsWith('@');
    const text = isFile ? await readFrom() : source;
    fields.push({ name, text, value: isFile ? text : typed(text) });
  }
  return fields;
}

async function bodyIn(path: string): Promise<Payload['body']> {
  const stats = await statNamed(path, '--input');
  // A source that is not a regular file, such as a pipe of the shell, has no known length.
  if (!stats.isFile() || stats.size <= 1024 * 1024) {
    return textOrBytes(await readBytes(path, '--input'));
  }
  await (await openNamed(path, '--input')).close();
  return fileBody(path, stats.size);
}

/** Text as text, so that --dry-run can show it; the bytes stay the same. */
function textOrBytes(bytes: Buffer): string | Buffer {
  const text = textIn(bytes);
  return text !== undefined && Buffer.from(text).equals(bytes) ? text : bytes;
}

type Scalar = string | number | boolean | null;
type FieldValue = Scalar | FieldValue[] | FieldObject;
interface FieldObject {
  [key: string]: FieldValue;
}

interface ApiField {
  /** `a[b]` nests; an empty step, as in `a[]`, adds to a list. */
  readonly name: string;
  readonly text: string;
  readonly value: Scalar;
}

export function splitField(field: string): { name: string; text: string } {
  const [, name, text = ''] = /^([^[\]=]+(?:\[[^[\]]*\])*)=([^]*)$/.exec(field) ?? [];
  if (name !== undefined) return { name, text };
  const message = `a field has the form KEY=VALUE, KEY[SUB]=VALUE or KEY[]=VALUE, not "${field}"`;
  throw new UsageError(message, { code: 'invalid_field' });
}

export function typed(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return isJsonNumber(text) ? Number(text) : text;
}

export function objectFrom(fields: readonly ApiField[]): FieldObject {
  // Without a prototype, a field named __proto__ is a field like any other.
  const object: FieldObject = { __proto__: null };
  for (const field of fields) put(object, field.name.replaceAll(']', '').split('['), field);
  return object;
}

function put(
  holder: FieldObject | FieldValue[],
  [step = '', ...rest]: string[],
  field: ApiField,
): void {
  const [next] = rest;
  const fresh: FieldObject | FieldValue[] = next === '' ? [] : { __proto__: null };
  if (Array.isArray(holder)) {
    if (next === undefined) {
      keepDigits(holder, String(holder.push(field.value) - 1), field.text);
      return;
    }
    // a[][b]=1 a[][c]=2 a[][b]=3 makes two objects: a field that the last one has opens the next.
    const last = holder.at(-1);
    const isObject = next !== '' && typeof last === 'object' && last !== null;
    const goesOn =
      isObject && !Array.isArray(last) && (last[next] === undefined || rest.length > 1);
    if (!goesOn) holder.push(fresh);
    put(goesOn ? last : fresh, rest, field);
    return;
  }
  const there = holder[step];
  if (next === undefined && there === undefined) {
    holder[step] = field.value;
    keepDigits(holder, step, field.text);
    return;
  }
  const inner = there === undefined ? fresh : there;
  const isNested = next !== undefined && typeof inner === 'object' && inner !== null;
  if (!isNested || Array.isArray(inner) !== (next === '')) {
    throw new UsageError(`the field ${field.name} conflicts with another field`, {
      code: 'invalid_field',
    });
  }
  holder[step] = inner;
  put(inner, rest, field);
}

/** The path below the base URL, with its query. @throws UsageError for another origin. */
export function pathFrom(source: string, { origin, pathname }: URL, query: string): string {
  const prefix = pathname.replace(/\/+$/, '');
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
  const address = isUrl ? source : `${origin}${prefix}/${source.replace(/^\//, '')}`;
  // As it is sent, without `..`: the path decides whether it is paid.
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.origin !== origin || !`${url.pathname}/`.startsWith(`${prefix}/`)) {
    throw new UsageError(`the URL is not below the base URL ${origin}${prefix}`, {
      code: 'foreign_url',
      hint: 'the key would be sent elsewhere: give only the path, or another --base-url',
    });
  }
  const path = (url.pathname.slice(prefix.length) || '/') + url.search;
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
