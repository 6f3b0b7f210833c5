import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { NothingSent } from '../../src/errors.js';
import { showingTransport } from '../../src/cli/dry-run.js';
import type { HttpRequest } from '../../src/http/types.js';

const key = 'sk-svc-s3cret_K-9';
const request = (more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  url: new URL('https://api.example.org/v1/chat/completions'),
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  timeouts: { connectMs: 0, firstByteMs: 0, idleMs: 0 },
  ...more,
});

/** What the transport shows of a request in place of sending it. */
async function shown(form: 'json' | 'curl', sent: HttpRequest): Promise<NothingSent['shown']> {
  try {
    await showingTransport(form)(sent);
  } catch (error) {
    if (error instanceof NothingSent) return error.shown;
    throw error;
  }
  throw new Error('it was sent');
}

async function jsonOf(sent: HttpRequest): Promise<unknown> {
  const what = await shown('json', sent);
  return 'json' in what ? what.json : undefined;
}

async function curlOf(sent: HttpRequest): Promise<string> {
  const what = await shown('curl', sent);
  return 'shell' in what ? what.shell : '';
}

describe('as JSON', () => {
  test('a request is shown with its body as a value and its key hidden', async () => {
    const body = JSON.stringify({ model: 'maker/model', n: 1, deep: [{ x: null }] });
    expect(await jsonOf(request({ body }))).toEqual({
      method: 'POST',
      url: 'https://api.example.org/v1/chat/completions',
      headers: { authorization: 'Bearer [key]', 'content-type': 'application/json' },
      body: { model: 'maker/model', n: 1, deep: [{ x: null }] },
    });
  });

  test.each([
    ['authorization', `Bearer ${key}`, 'Bearer [key]'],
    ['authorization', 'opaque', '[key]'],
    ['x-api-key', 'opaque', '[key]'],
    ['x-api-key', 'two words', '[key]'],
    ['cookie', 'session=abc; other=def', '[key]'],
    ['x-note', `has ${key} in it`, 'has [key] in it'],
    ['x-note', 'plain', 'plain'],
    ['idempotency-key', 'ik_1', 'ik_1'],
  ])('the header %s: %s is %s', async (name, value, expected) => {
    expect(await jsonOf(request({ headers: { [name]: value } }))).toMatchObject({
      headers: { [name]: expected },
    });
  });

  test('what looks like a key in a body is hidden, and the rest of the body stays JSON', async () => {
    const body = JSON.stringify({
      prompt: `why is "${key}" wrong? I sent "Bearer abc123\\"`,
      [key]: [key, { url: 'https://h/f?sig=abc' }, 7, null],
    });
    expect(await jsonOf(request({ body }))).toMatchObject({
      body: {
        prompt: 'why is "[key]" wrong? I sent "Bearer [key]"',
        '[key]': ['[key]', { url: 'https://h/f?sig=[sig]' }, 7, null],
      },
    });
  });

  test.each([
    ['text', 'text/plain', `plain ${key}`, 'plain [key]'],
    ['JSON that is none', 'application/json', '{"a":', '{"a":'],
    ['JSON of another kind', 'application/problem+json', '{"a":1}', { a: 1 }],
  ])('a body of %s is shown in its own form', async (_, type, body, expected) => {
    const headers = { 'content-type': type };
    expect(await jsonOf(request({ headers, body }))).toMatchObject({ body: expected });
  });

  test('bytes are counted, not shown', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const expected = { body: { bytes: 5, contentType: 'multipart/form-data; boundary=x' } };
    const open = () => {
      throw new Error('opened');
    };
    expect(await jsonOf(request({ headers, body: Buffer.from('12345') }))).toMatchObject(expected);
    expect(await jsonOf(request({ headers, body: { length: 5, open } }))).toMatchObject(expected);
  });
});

/** The words that bash hands over to curl. */
function wordsInBash(command: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-uc', script], {
    env: { PATH: process.env['PATH'], SVC_API_KEY: key, ...env },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\0').slice(0, -1);
}

describe('as a curl command', () => {
  const nasty = [
    "it's",
    '@file',
    "''''",
    '%s %d \\n',
    '-X DELETE',
    '',
    `the key ${key} twice: ${key}`,
    key,
  ];

  test.each(nasty)('a request with %j means the same request in bash', async (text) => {
    const body = JSON.stringify({ text, again: [text] });
    const note = text.replace(/[^ -~]/g, '');
    const url = new URL(`https://api.example.org/v1/x?q=${encodeURIComponent(text)}&a[]={b}`);
    const headers = { authorization: `Bearer ${key}`, 'x-note': note };
    const command = await curlOf(request({ url, headers, body }));
    expect(wordsInBash(command)).toEqual([
      ...['-sSg', '-X', 'POST', url.href, '-H', `authorization: Bearer ${key}`],
      ...['-H', note === '' ? 'x-note;' : `x-note: ${note}`, '--data-raw', body],
    ]);
    expect(command).not.toContain(key);
    expect(command).toContain('"$SVC_API_KEY"');
  });

  test.each([
    ['authorization', 'Bearer ', 'SVC_API_KEY'],
    ['authorization', 'Basic ', 'SVC_API_KEY'],
    ['authorization', '', 'SVC_API_KEY'],
    ['cookie', '', 'SVC_SESSION'],
    ['proxy-authorization', 'Basic ', 'PROXY_AUTHORIZATION'],
  ])('the secret of %s: %s… becomes $%s of the user', async (name, scheme, variable) => {
    const command = await curlOf(request({ headers: { [name]: `${scheme}s3cret99` } }));
    expect(command).not.toContain('s3cret99');
    expect(wordsInBash(command, { [variable]: 'theirs' })).toEqual([
      ...['-sS', '-X', 'POST', request().url.href, '-H', `${name}: ${scheme}theirs`],
    ]);
  });
});
