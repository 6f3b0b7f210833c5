import { expect, it } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import { localScript } from '../helpers/local-script.js';
import { run, type RunOptions } from '../helpers/run.js';

const headers = { authorization: 'Bearer sk-svc-local', 'content-type': 'application/json' };

/** The lines that `svc serve` logs while `during` uses its address. */
async function logged(
  line: string,
  during: (url: string) => Promise<unknown>,
  options: RunOptions = {},
): Promise<string> {
  const interrupt = new AbortController();
  const failures: unknown[] = [];
  const { stderr } = await run(`serve --port 0 --memory ${line}`, {
    ...options,
    signal: interrupt.signal,
    onStdout: (text) => {
      during(text.trim())
        .catch((error: unknown) => failures.push(error))
        // The end of a reply is logged after its last byte.
        .finally(() => setImmediate(() => interrupt.abort(new Interrupted('SIGINT'))));
    },
  });
  expect(failures).toEqual([]);
  const [, log = ''] = /whsec_.*\n([^]*)$/.exec(stderr) ?? [];
  return log.replace(/^(\u001b\[2m)?\d\d:\d\d:\d\d/gm, '$1TIME').replace(/ +\d+ ms/g, ' N ms');
}

const chat = (url: string, content: string, more: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'local/echo',
      messages: [{ role: 'user', content }],
      ...more,
    }),
  }).then((response) => response.text());

it('the log of svc serve has a line for each request: time, method, status, duration, price, path and key', async () => {
  const log = await logged('', async (url) => {
    await fetch(`${url}/v1/balance`, { headers });
    await chat(url, 'hi', { stream: true });
    await fetch(`${url}/v1/balance?page=2&api_key=abcdef`);
  });
  expect(log).toBe(
    'TIME  GET     200 N ms                /v1/balance  local\n' +
      'TIME  POST    200 N ms   0.00004 RUB  /v1/chat/completions  local\n' +
      'TIME  GET     401 N ms                /v1/balance?page=2&api_key=[hidden]\n',
  );
});

it('the log of svc serve charges a repeated request nothing, and an image when it is made', async () => {
  const body = JSON.stringify({ model: 'canvas', prompt: 'sea', opts: { quality: 'draft' } });
  const log = await logged('--job-time 0', async (url) => {
    for (let n = 0; n < 2; n += 1) {
      await fetch(`${url}/api/media/generate`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': 'one' },
        body,
      });
    }
    const image = JSON.stringify({ model: 'canvas', prompt: 'sea', quality: 'draft' });
    await fetch(`${url}/v1/images/generations`, { method: 'POST', headers, body: image });
  });
  const prices = log.split('\n').map((line) => /[\d.]+ RUB/.exec(line)?.[0]);
  expect(prices).toEqual([expect.any(String), undefined, expect.any(String), undefined]);
});

it('the log of svc serve shows no secret and no control character, however a path encodes them', async () => {
  const log = await logged('', async (url) => {
    await fetch(`${url}/sk%2dsvc%2dlocal/%1b%5b31m%0aPOST%20200?sig=abc&t=Bearer%20abcdef123456`);
    await fetch(`${url}/%ff`);
  });
  expect(log).toBe(
    'TIME  GET     404 N ms                /[key]/␛[31m POST 200?sig=[sig]&t=Bearer [key]\n' +
      'TIME  GET     404 N ms                /%ff\n',
  );
});

it('the log of svc serve says which replies were aborted', async () => {
  const env = localScript({ reply: 'half of an answer', cut: 'drop' });
  expect(
    await logged(
      '',
      (url) => chat(url, 'hi', { model: 'local/script', stream: true }).catch(() => undefined),
      { env },
    ),
  ).toMatch(/^TIME {2}POST {4}200 N ms +[\d.]+ RUB {2}\/v1\/\S+ {2}local {2}aborted\n$/);
});

it('the log of svc serve adds bodies under -v: without keys, shortened, and binary ones by size and type', async () => {
  const form = new FormData();
  form.set('model', 'local/transcribe');
  form.set('file', new Blob([new Uint8Array(12_345)]), 'a.wav');
  const { authorization } = headers;
  const log = await logged('-v', async (url) => {
    await chat(url, `sk-svc-local \u001b[31m ${'x'.repeat(900)}`, { stream: true });
    const path = `${url}/v1/audio/transcriptions`;
    await fetch(path, { method: 'POST', headers: { authorization }, body: form });
  });
  const [first = '', request = '', ...rest] = log.split('\n');
  expect(first).toContain('POST    200');
  expect(request).toMatch(
    /^ {2}> \{"model":"local\/echo".*"\[key\] \\u001b\[31m x{280,}… \(\d+ B\)"\}\],"stream":true\}$/,
  );
  expect(rest[0]).toMatch(/^ {2}< data: \{"id":"chatcmpl-/);
  expect(rest.join('\n')).toContain('… (');
  expect(log).toMatch(/^ {2}> <12\.\d kB multipart\/form-data>\n {2}< \{"error":/m);
  expect(log).not.toContain('sk-svc-local');
});

it('the log of svc serve is styled on a terminal, and absent under -q', async () => {
  const ask = (url: string) => fetch(`${url}/v1/nothing`);
  expect(await logged('', ask, { tty: true, colour: true })).toBe(
    '\u001b[2mTIME\u001b[22m  GET     \u001b[33m404\u001b[39m\u001b[2m N ms  \u001b[22m' +
      '              /v1/nothing\n',
  );
  const env = localScript({ error: { status: 503 } });
  const fail = (url: string) => chat(url, 'hi', { model: 'local/script' });
  expect(await logged('', fail, { tty: true, colour: true, env })).toContain(
    '\u001b[31m503\u001b[39m',
  );
  const { stderr } = await run('serve --port 0 --memory -q', {
    signal: AbortSignal.timeout(1),
  });
  expect(stderr).toBe('');
  expect(await logged('-q', ask)).toBe('');
});

it('the log of svc serve keeps a long path on one line: shortened on a terminal, whole in a pipe', async () => {
  const path = `/v1/balance?expires=1790000000&of=${'0123456789'.repeat(12)}`;
  const ask = (url: string) => fetch(url + path, { headers });
  expect(await logged('', ask)).toBe(`TIME  GET     200 N ms                ${path}  local\n`);
  const shown = await logged('', ask, { tty: true, columns: 90 });
  const time = {
    columns: '12:00:00'.length - 'TIME'.length,
    ms: '     3 ms'.length - ' N ms'.length,
  };
  expect(shown).toMatch(/ \/v1\/balance\?ex\S+… {2}local\n$/);
  expect(shown.length - '\n'.length + time.columns + time.ms).toBe(90);
});
