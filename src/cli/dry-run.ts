/** --dry-run and --curl: a transport that describes the first request and sends nothing. */
import { resolve } from 'node:path';
import { piecesOf } from '../http/types.js';
import type { Form, HttpRequest, Segment, Transport } from '../http/types.js';
import { singleQuoted } from '../lib/names.js';
import { redact, redactJson, keyHeaders, secretScheme } from '../lib/redact.js';
import { NothingSent } from '../errors.js';
import { parseJson } from '../lib/json.js';

export function showingTransport(form: 'json' | 'curl'): Transport {
  return async (request) => {
    throw new NothingSent(
      form === 'json' ? { json: asJson(request) } : { shell: await asCurl(request) },
    );
  };
}

function asJson({ method, url, headers, body }: HttpRequest): unknown {
  const shown = Object.entries(headers).map(([name, value]) => {
    const scheme = secretScheme(name, value);
    return [name, scheme === undefined ? redact(value) : `${scheme}[key]`] as const;
  });
  return {
    method,
    url: redact(url.href),
    headers: Object.fromEntries(shown),
    ...(body === undefined ? {} : { body: redactJson(bodyValue(body, headers['content-type'])) }),
  };
}

function bodyValue(body: NonNullable<RequestBody>, contentType: string | undefined): unknown {
  if (typeof body !== 'string') {
    const form = 'form' in body && body.form ? formValue(body.form) : {};
    return { bytes: body.length, contentType, ...form };
  }
  if (!contentType?.includes('json')) return body;
  try {
    return parseJson(body);
  } catch {
    return body;
  }
}

/** The fields of a form, and what it holds of its files. */
function formValue({ fields, files }: Form) {
  const names = [...new Set(fields.map(([name]) => name))];
  const values = names.map((name) => {
    const own = fields.flatMap(([other, value]) => (other === name ? [value] : []));
    return [name, own.length === 1 ? own[0] : own] as const;
  });
  const described = files.map(({ content, ...file }) => ({ ...file, bytes: content.length }));
  return { fields: Object.fromEntries(values), files: described };
}

type RequestBody = HttpRequest['body'];
type Quote = (text: string) => string;

/** The same request, but for the key, which stays in an environment variable. */
async function asCurl({ method, url, headers, body }: HttpRequest): Promise<string> {
  const keyHeader = keyHeaders.find((header) => headers[header] !== undefined) ?? '';
  const keyValue = headers[keyHeader] ?? '';
  const key = keyValue.slice(secretScheme(keyHeader, keyValue)?.length) || undefined;
  const quote: Quote = (text) =>
    (key === undefined ? [text] : text.split(key)).map(singleQuoted).join('"$SVC_API_KEY"');
  // Brackets and braces mean several addresses to curl.
  const options = /[[\]{}]/.test(url.href) ? '-sSg' : '-sS';
  const lines = [
    `curl ${options} ${method === 'HEAD' ? '--head' : `-X ${method}`} ${quote(url.href)}`,
  ];
  const form = typeof body === 'object' && 'form' in body ? body.form : undefined;
  for (const [name, value] of Object.entries(headers)) {
    // curl writes a form itself, with a boundary of its own.
    if (name === 'content-length' || (form && name === 'content-type')) continue;
    const scheme = secretScheme(name, value);
    // Without a value curl takes the header out, unless a semicolon ends its name.
    const header = value === '' ? `${name};` : `${name}: ${value}`;
    const secret = `${singleQuoted(`${name}: ${scheme ?? ''}`)}"$${variableFor(name)}"`;
    lines.push(`-H ${scheme === undefined ? quote(header) : secret}`);
  }
  lines.push(...(form ? formWords(form, quote) : bodyWords(body, quote)));
  const piped = (form ? form.files.map(({ content }) => content) : [body]).find(isPiped);
  const input = await inputFor(piped, quote);
  return [...(input === undefined ? [] : [`${input} |`]), lines.join(' \\\n  ')].join('\n');
}

/** The longest word that a system accepts on a command line. */
const maxWordBytes = 100_000;

function isPiped(body: RequestBody): boolean {
  if (typeof body === 'string') return Buffer.byteLength(body) > maxWordBytes;
  return body !== undefined && pathOf(body) === undefined;
}

function bodyWords(body: RequestBody, quote: Quote): string[] {
  if (body === undefined) return [];
  if (typeof body === 'string' && !isPiped(body)) return [`--data-raw ${quote(body)}`];
  return [`--data-binary ${singleQuoted(`@${pathOf(body) ?? '-'}`)}`];
}

function formWords({ fields, files }: Form, quote: Quote): string[] {
  const inForm = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return [
    ...fields.map(([name, value]) => `--form-string ${quote(`${name}=${value}`)}`),
    ...files.map(({ field, filename, type, content }) => {
      const path = pathOf(content);
      const from = path === undefined ? '-' : inForm(path);
      return `-F ${quote(`${field}=@${from};filename=${inForm(filename)};type=${type}`)}`;
    }),
  ];
}

function pathOf(body: NonNullable<RequestBody>): string | undefined {
  return typeof body === 'object' && 'path' in body && body.path ? resolve(body.path) : undefined;
}

/** What is piped in is shown up to this size; more is to be given again. */
const maxShownBytes = 16 * 1024 * 1024;

async function inputFor(body: RequestBody, quote: Quote): Promise<string | undefined> {
  if (typeof body === 'string') return segmentCommand(body, quote);
  if (body === undefined) return undefined;
  if ('segments' in body && body.segments) {
    return `{ ${body.segments.map((segment) => segmentCommand(segment, quote)).join('; ')}; }`;
  }
  if (body.length > maxShownBytes) return undefined;
  const pieces: Buffer[] = [];
  // A piece may be overwritten by the next.
  for await (const piece of piecesOf(body)) pieces.push(Buffer.from(piece));
  return `printf %s ${Buffer.concat(pieces).toString('base64')} | base64 -d`;
}

function segmentCommand(segment: Segment, quote: Quote): string {
  if (typeof segment === 'string') return `printf %s ${quote(segment)}`;
  if ('bytes' in segment) return `printf %s ${Buffer.from(segment.bytes).toString('base64')}`;
  return `base64 < ${singleQuoted(resolve(segment.path))} | tr -d '\\n'`;
}

function variableFor(header: string): string {
  if (keyHeaders.includes(header)) return 'SVC_API_KEY';
  return header === 'cookie' ? 'SVC_SESSION' : header.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
