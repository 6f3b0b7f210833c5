/** What a line of svc api asks for: path, headers and body; refuses what makes no sense. */
import { open } from 'node:fs/promises';
import type { Client } from '../../api/client.js';
import { authorization, assertEncrypted, type Payload } from '../../api/prepare.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { lookAt, readBytes, readText, readTrouble } from '../../files/named-file.js';
import type { StreamedBody } from '../../http/types.js';
import { exactNumber, isJsonNumber } from '../../lib/json.js';
import { textIn } from '../../lib/file-kind.js';
import { keyHeaders, rememberHeader } from '../../lib/redact.js';
import type { Row } from './api.js';
import type { api } from './index.js';

export type ApiInput = InputOf<typeof api>;
type ApiOptions = ApiInput['options'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The method in capitals. @throws UsageError for a word that is none. */
export function methodFrom(word: string): string {
  const method = word.toUpperCase();
  if (methods.includes(method)) return method;
  throw new UsageError(`"${word}" is no method; there are ${methods.join(', ')}`, {
    code: 'invalid_method',
    hint: 'svc api GET /v1/models',
  });
}

/** Headers that say how the body travels: the transport alone knows. */
const transportHeaders =
  /^(?:host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** The further headers, in lower case; what is given twice is joined. @throws UsageError */
export function headersFrom(given: ApiOptions['header']): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const header of given) {
    const colon = header.indexOf(':');
    const name = header.slice(0, Math.max(0, colon)).trim().toLowerCase();
    // The value is not quoted: it may be a key.
    if (name === '') {
      throw new UsageError("a header is 'NAME: VALUE'", { code: 'invalid_header' });
    }
    if (transportHeaders.test(name)) {
      throw new UsageError(`the header ${name} is set by svc itself`, { code: 'invalid_header' });
    }
    const value = header.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** What goes into the query, and what is sent as the body. */
interface Content {
  /** Without a question mark; may be empty. */
  readonly query: string;
  readonly payload: Payload | undefined;
}

/**
 * @param contentType of a body from --input, when a header names it.
 * @throws UsageError or LocalFileError before anything is sent.
 */
export async function contentFrom(
  { stdin }: Pick<Context, 'stdin'>,
  method: string,
  options: Pick<ApiOptions, 'field' | 'rawField' | 'input'>,
  contentType = 'application/json',
): Promise<Content> {
  const fields = await fieldsFrom(stdin, options);
  const hasNoBody = method === 'GET' || method === 'HEAD';
  if (options.input !== undefined) {
    if (hasNoBody) {
      throw new UsageError(`${method} sends no body, so --input makes no sense`, { code: 'usage' });
    }
    const body = options.input === '-' ? shown(await stdin.bytes()) : await bodyIn(options.input);
    return { query: queryFrom(fields), payload: { contentType, body } };
  }
  if (hasNoBody || fields.length === 0) return { query: queryFrom(fields), payload: undefined };
  return { query: '', payload: { contentType, body: JSON.stringify(objectFrom(fields)) } };
}

/** The raw ones first, as they came. @throws UsageError */
async function fieldsFrom(
  stdin: Context['stdin'],
  { field, rawField, input }: Pick<ApiOptions, 'field' | 'rawField' | 'input'>,
): Promise<Field[]> {
  const readers = field.filter((one) => /^[^=]*=@-$/.test(one)).length + (input === '-' ? 1 : 0);
  if (readers > 1) throw new UsageError('stdin can be read once', { code: 'usage' });
  const fields = rawField.map(splitField).map(({ path, text }): Field => ({ path, value: text }));
  for (const { path, text } of field.map(splitField)) {
    const name = nameOf(path);
    if (!text.startsWith('@')) fields.push({ path, value: typed(text, name) });
    // A byte order mark is no part of a value.
    else if (text === '@-')
      fields.push({ path, value: (await stdin.text()).replace(/^\ufeff/, '') });
    else fields.push({ path, value: await readText(text.slice(1), `the field ${name}`) });
  }
  return fields;
}

/** Larger files are sent while they are read. */
const wholeBytes = 1024 * 1024;

async function bodyIn(path: string): Promise<Payload['body']> {
  const found = await lookAt(path, '--input');
  // What is no plain file, as a pipe of the shell, has no length to announce.
  if (!found.isFile() || found.size <= wholeBytes) return shown(await readBytes(path, '--input'));
  const body: StreamedBody = { length: found.size, open: () => piecesOf(path), path };
  return body;
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((cause: unknown) => {
    throw readTrouble(cause, path, '--input');
  });
  yield* file.createReadStream();
}

/** Text as text, so that --dry-run can show it; its bytes stay the same. */
function shown(bytes: Buffer): string | Buffer {
  const text = textIn(bytes);
  return text !== undefined && Buffer.from(text).equals(bytes) ? text : bytes;
}

type Scalar = string | number | boolean | null;
type Node = Scalar | Node[] | Fields;
interface Fields {
  [key: string]: Node;
}

/** One field: where it goes, and what stands there. */
interface Field {
  /** `a[b][]` is `['a', 'b', '']`; an empty step adds to a list. */
  readonly path: readonly string[];
  readonly value: Scalar;
}

/** Splits `a[b]=text`. @throws UsageError when it has no such form. */
export function splitField(field: string): { path: readonly string[]; text: string } {
  const match = /^([^[\]=]+)((?:\[[^[\]]*\])*)=([^]*)$/.exec(field);
  if (!match) {
    throw new UsageError(`a field is KEY=VALUE, KEY[SUB]=VALUE or KEY[]=VALUE, not "${field}"`, {
      code: 'invalid_field',
    });
  }
  const [, name = '', steps = '', text = ''] = match;
  return {
    path: [name, ...Array.from(steps.matchAll(/\[([^[\]]*)\]/g), ([, step = '']) => step)],
    text,
  };
}

/** `true`, `false`, `null` and numbers as such; anything else is text. @throws UsageError */
export function typed(text: string, name: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (!isJsonNumber(text)) return text;
  const number = exactNumber(text);
  if (number !== undefined) return number;
  throw new UsageError(`the field ${name} is a number that svc cannot hold exactly: ${text}`, {
    code: 'invalid_field',
    hint: `send it as text: -f ${name}=${text}`,
  });
}

/** The object that fields build together. @throws UsageError when they contradict each other. */
export function objectFrom(fields: readonly Field[]): Fields {
  const object = emptyFields();
  for (const { path, value } of fields) put(object, path, 0, value);
  return object;
}

/** Puts `value` at `path` from `depth` on into `holder`. */
function put(holder: Fields | Node[], path: readonly string[], depth: number, value: Scalar): void {
  const next = path[depth + 1];
  if (Array.isArray(holder)) {
    if (next === undefined) holder.push(value);
    else put(innerOfList(holder, path, depth), path, depth + 1, value);
    return;
  }
  const step = path[depth] ?? '';
  const there = holder[step];
  if (next === undefined) {
    if (there !== undefined) throw contradiction(path);
    holder[step] = value;
    return;
  }
  const fresh = next === '' ? [] : emptyFields();
  const inner = there === undefined ? fresh : there;
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner) !== (next === '')) {
    throw contradiction(path);
  }
  holder[step] = inner;
  put(inner, path, depth + 1, value);
}

/** `a[][b]=1 a[][c]=2 a[][b]=3` makes two objects: a field that the last one has opens the next. */
function innerOfList(list: Node[], path: readonly string[], depth: number): Node[] | Fields {
  const next = path[depth + 1] ?? '';
  const last = list.at(-1);
  const goesOn = isFields(last) && (last[next] === undefined || path.length > depth + 2);
  if (next !== '' && goesOn) return last;
  const inner = next === '' ? [] : emptyFields();
  list.push(inner);
  return inner;
}

function isFields(value: Node | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, a field named __proto__ is a field like any other. */
function emptyFields(): Fields {
  return { __proto__: null };
}

function contradiction(path: readonly string[]): UsageError {
  return new UsageError(`the field ${nameOf(path)} contradicts another one of that name`, {
    code: 'invalid_field',
  });
}

/** `a[b][]` from its path. */
function nameOf([name = '', ...steps]: readonly string[]): string {
  return name + steps.map((step) => `[${step}]`).join('');
}

/** Fields as a query, without its question mark, under the names they were given. */
export function queryFrom(fields: readonly Field[]): string {
  const query = new URLSearchParams();
  for (const { path, value } of fields) {
    query.append(nameOf(path), value === null ? '' : String(value));
  }
  return query.toString();
}

/**
 * The path below the base URL, with its query; it begins with a slash.
 * @param given a path, with or without its first slash, or a URL below the base URL.
 * @throws UsageError for a URL of another place, where the key must not go.
 */
export function pathFrom(given: string, baseUrl: URL): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? pathBelow(given, baseUrl) : given;
  const bare = path.replace(/#.*$/s, '');
  return bare.startsWith('/') ? bare : `/${bare}`;
}

function pathBelow(given: string, { origin, pathname }: URL): string {
  const prefix = pathname.replace(/\/+$/, '');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.origin === origin && `${url.pathname}/`.startsWith(`${prefix}/`)) {
    return url.pathname.slice(prefix.length) + url.search;
  }
  throw new UsageError(`the URL is not below the base URL ${origin}${prefix}`, {
    code: 'foreign_url',
    hint: 'the key would go elsewhere: give the path alone, or another --base-url',
  });
}

/** A path with more of a query. */
export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Holds what headers prove to what holds for the key: it is shown nowhere, and not sent in the clear.
 * @param headers by names in lower case.
 * @throws ConfigError when it cannot be sent so.
 */
export function guardSecrets({ baseUrl }: Client, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!rememberHeader(name, value)) continue;
    if (keyHeaders.includes(name)) authorization({ key: value.split(/\s+/).at(-1), baseUrl });
    else assertEncrypted(baseUrl, 'key');
  }
}

/**
 * Whether the key goes along: not where the contract asks for none, nor beside another one that
 * a header gives.
 * @throws ConfigError when a key is needed and none is known.
 */
export async function carriesKey(
  context: Context,
  client: Client,
  { auth }: Row,
  headers: Headers,
): Promise<boolean> {
  if (auth === 'none' || auth === 'signature') return false;
  if (keyHeaders.some((name) => name in headers)) return false;
  if (client.key !== undefined) return true;
  if ('cookie' in headers) return false;
  // Asked for as required, it says why there is none.
  await context.client();
  return true;
}
