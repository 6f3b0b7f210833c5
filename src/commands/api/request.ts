/** Turns the command line of `svc api` into a request: where to, with which headers and body. */
import { open } from 'node:fs/promises';
import type { Payload } from '../../api/prepare.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import type { StreamedBody } from '../../http/types.js';
import { textIn } from '../../lib/file-kind.js';
import { lookAt, readBytes, readText, readTrouble } from '../../files/named-file.js';
import { nameOf, objectFrom, queryFrom, splitField, typed, type Field } from './fields.js';
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
export interface Content {
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
  refuseTwoReaders(options);
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

function refuseTwoReaders({ field, input }: Pick<ApiOptions, 'field' | 'input'>): void {
  const readers = field.filter((one) => /^[^=]*=@-$/.test(one)).length + (input === '-' ? 1 : 0);
  if (readers > 1) throw new UsageError('stdin can be read once', { code: 'usage' });
}

/** The raw ones first, as they came. */
async function fieldsFrom(
  stdin: Context['stdin'],
  { field, rawField }: Pick<ApiOptions, 'field' | 'rawField'>,
): Promise<Field[]> {
  const fields: Field[] = rawField.map((one) => {
    const { path, text } = splitField(one);
    return { path, value: text };
  });
  for (const one of field) {
    const { path, text } = splitField(one);
    const name = nameOf(path);
    fields.push({
      path,
      value: text.startsWith('@') ? await textFrom(stdin, text.slice(1), name) : typed(text, name),
    });
  }
  return fields;
}

async function textFrom(stdin: Context['stdin'], source: string, name: string): Promise<string> {
  // A byte order mark is no part of a value.
  if (source === '-') return (await stdin.text()).replace(/^\ufeff/, '');
  return readText(source, `the field ${name}`);
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
