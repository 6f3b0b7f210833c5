/** --dry-run and --curl: a transport that describes the first request and sends nothing. */
import type { HttpRequest, Transport } from '../http/types.js';
import { redact } from '../lib/redact.js';

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

function asJson(request: HttpRequest): unknown {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      isSecret(name) ? redact(value).replace(/\S+$/, '[key]') : redact(value),
    ]),
  );
  return {
    method: request.method,
    url: redact(request.url.href),
    headers,
    ...(request.body === undefined ? {} : { body: bodyValue(request) }),
  };
}

function bodyValue({ body, headers }: HttpRequest): unknown {
  if (body === undefined) return undefined;
  if (typeof body === 'string') {
    if (!headers['content-type']?.includes('json')) return body;
    try {
      return JSON.parse(body);
    } catch {
      // `svc api --input` sends what it is given.
      return body;
    }
  }
  return { bytes: body.length, contentType: headers['content-type'] };
}

function asCurl(request: HttpRequest): string {
  const lines = [`curl -sS -X ${request.method} ${quote(request.url.href)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    if (name === 'content-length') continue;
    lines.push(
      isSecret(name)
        ? // The key stays in the environment of whoever runs the command.
          `-H "${name}: ${/^bearer /i.test(value) ? 'Bearer ' : ''}$SVC_API_KEY"`
        : `-H ${quote(`${name}: ${value}`)}`,
    );
  }
  if (typeof request.body === 'string') lines.push(`--data-raw ${quote(request.body)}`);
  else if (request.body !== undefined) lines.push('--data-binary @FILE');
  return lines.join(' \\\n  ');
}

function isSecret(header: string): boolean {
  return header === 'authorization' || header === 'x-api-key' || header === 'cookie';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
