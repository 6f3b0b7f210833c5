/** --dry-run and --curl: a transport that describes the first request and sends nothing. */
import { resolve } from 'node:path';
import type { Form, HttpRequest, Segment, Transport } from '../http/types.js';
import { redact, redactJson, keyHeaders, secretScheme } from '../lib/redact.js';
import { singleQuoted } from '../lib/names.js';
import { NothingSent } from './context.js';

/** A transport that shows. */
export function showingTransport(form: 'json' | 'curl'): Transport {
  return async (request) => {
    throw new NothingSent(
      form === 'json' ? { json: asJson(request) } : { shell: await asCurl(request) },
    );
  };
}

/** What is pasted elsewhere: no secret is left in it, wherever it stood. */
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

function bodyValue(body: NonNullable<HttpRequest['body']>, contentType: string | undefined) {
  if (typeof body !== 'string') return { bytes: body.length, contentType };
  if (!contentType?.includes('json')) return body;
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    // `svc api --input` sends what it is given.
    return body;
  }
}

/**
 * What is run: the same request, but for the key, which stays in the environment of whoever runs
 * it. Other texts that look like keys are part of the request and stay.
 */
async function asCurl({ method, url, headers, body }: HttpRequest): Promise<string> {
  const key = keyIn(headers);
  const word = (text: string) => quotedWord(text, key);
  // Brackets and braces mean several addresses to curl.
  const options = /[[\]{}]/.test(url.href) ? '-sSg' : '-sS';
  const verb = method === 'HEAD' ? '--head' : `-X ${quotedWord(method)}`;
  const lines = [`curl ${options} ${verb} ${word(url.href)}`];
  const form = typeof body === 'object' && 'form' in body ? body.form : undefined;
  for (const [name, value] of Object.entries(headers)) {
    // curl writes a form itself, with a boundary of its own.
    if (name === 'content-length' || (form && name === 'content-type')) continue;
    const scheme = secretScheme(name, value);
    if (scheme !== undefined) {
      lines.push(`-H ${quotedWord(`${name}: ${scheme}`)}"$${variableFor(name)}"`);
    } else {
      // Without a value curl takes the header out, unless a semicolon ends its name.
      lines.push(`-H ${word(value === '' ? `${name};` : `${name}: ${value}`)}`);
    }
  }
  lines.push(...(form ? formWords(form, word) : bodyWords(body, word)));
  const nameless = form ? form.files.map(({ content }) => content) : [body];
  const piped = nameless.find((content) => isPiped(content));
  const command = lines.join(' \\\n  ');
  const input = await inputFor(piped, word);
  return input === undefined ? command : `${input} |\n${command}`;
}

type Body = HttpRequest['body'];

/** A system takes no longer word on a command line. */
const mostWordBytes = 100_000;

/** Whether curl reads it from its stdin. */
function isPiped(body: Body): boolean {
  if (typeof body === 'string') return Buffer.byteLength(body) > mostWordBytes;
  return body !== undefined && pathOf(body) === undefined;
}

function bodyWords(body: Body, word: (text: string) => string): string[] {
  if (body === undefined) return [];
  if (typeof body === 'string' && !isPiped(body)) return [`--data-raw ${word(body)}`];
  return [`--data-binary ${singleQuoted(`@${pathOf(body) ?? '-'}`)}`];
}

function formWords({ fields, files }: Form, word: (text: string) => string): string[] {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return [
    ...fields.map(([name, value]) => `--form-string ${word(`${name}=${value}`)}`),
    ...files.map(({ field, filename, type, content }) => {
      const path = pathOf(content);
      const from = path === undefined ? '-' : quoted(path);
      return `-F ${word(`${field}=@${from};filename=${quoted(filename)};type=${type}`)}`;
    }),
  ];
}

function pathOf(body: NonNullable<Body>): string | undefined {
  return typeof body === 'object' && 'path' in body && body.path ? resolve(body.path) : undefined;
}

/** What is piped in is shown up to this size; of more, whoever runs the command gives it again. */
const mostShownBytes = 16 * 1024 * 1024;

/** A command that writes what curl reads from its stdin. */
async function inputFor(body: Body, word: (text: string) => string): Promise<string | undefined> {
  if (typeof body === 'string') return `printf %s ${word(body)}`;
  if (body === undefined) return undefined;
  if ('segments' in body && body.segments) {
    return `{ ${body.segments.map((segment) => segmentCommand(segment, word)).join('; ')}; }`;
  }
  if (body.length > mostShownBytes) return undefined;
  const pieces: Buffer[] = [];
  // A piece may be overwritten by the next.
  for await (const piece of 'open' in body ? body.open() : [body]) pieces.push(Buffer.from(piece));
  return `printf %s ${Buffer.concat(pieces).toString('base64')} | base64 -d`;
}

function segmentCommand(segment: Segment, word: (text: string) => string): string {
  if (typeof segment === 'string') return `printf %s ${word(segment)}`;
  if ('bytes' in segment) return `printf %s ${Buffer.from(segment.bytes).toString('base64')}`;
  return `base64 < ${singleQuoted(resolve(segment.path))} | tr -d '\\n'`;
}

function variableFor(header: string): string {
  if (keyHeaders.includes(header)) return 'SVC_API_KEY';
  return header === 'cookie' ? 'SVC_SESSION' : header.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

function keyIn(headers: HttpRequest['headers']): string | undefined {
  const name = keyHeaders.find((header) => headers[header] !== undefined);
  const value = name === undefined ? undefined : headers[name];
  if (name === undefined || value === undefined) return undefined;
  return value.slice(secretScheme(name, value)?.length) || undefined;
}

/** A word of a shell that is this text; where the key stands in it, the variable does. */
function quotedWord(text: string, key?: string): string {
  if (/^[A-Z]+$/.test(text)) return text;
  const parts = key === undefined ? [text] : text.split(key);
  return parts.map(singleQuoted).join('"$SVC_API_KEY"');
}
