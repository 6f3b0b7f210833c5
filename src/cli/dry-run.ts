/** --dry-run and --curl: a transport that describes the first request and sends nothing. */
import type { Form, HttpRequest, Transport } from '../http/types.js';
import { redact, redactJson } from '../lib/redact.js';
import { singleQuoted } from '../lib/shell-word.js';
import { keyHeaders, secretScheme } from '../lib/secret-headers.js';

/** Ends a command whose request was to be shown, not sent. */
export class NothingSent extends Error {
  override readonly name = 'NothingSent';
  /** @param shown what to print on stdout: a JSON value, or a shell command. */
  constructor(readonly shown: { json: unknown } | { shell: string }) {
    super('nothing was sent');
  }
}

/** A transport that shows. */
export function showingTransport(form: 'json' | 'curl'): Transport {
  return (request) =>
    Promise.reject(
      new NothingSent(form === 'json' ? { json: asJson(request) } : { shell: asCurl(request) }),
    );
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
function asCurl({ method, url, headers, body }: HttpRequest): string {
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
  if (form) lines.push(...formWords(form, word));
  else if (typeof body === 'string') lines.push(`--data-raw ${word(body)}`);
  else if (body !== undefined) lines.push('--data-binary @FILE');
  return lines.join(' \\\n  ');
}

/** FILE stands for each file: where it is, is not the request's to know. */
function formWords({ fields, files }: Form, word: (text: string) => string): string[] {
  return [
    ...fields.map(([name, value]) => `--form-string ${word(`${name}=${value}`)}`),
    ...files.map(({ field, filename, type }) => {
      const name = filename.replace(/["\\]/g, '\\$&');
      return `-F ${word(`${field}=@FILE;filename="${name}";type=${type}`)}`;
    }),
  ];
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
