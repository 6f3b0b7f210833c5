/** `svc serve` with a tape: what another program asks, and what it gets. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import { testFolder } from '../helpers/folder.js';
import { fails, run } from '../helpers/run.js';

/** Runs `svc serve` until `during` is done with its address. */
async function serving(line: string, during: (url: string) => Promise<void>) {
  const interrupt = new AbortController();
  let failure: unknown;
  const end = () => interrupt.abort(new Interrupted('SIGINT'));
  const result = await run(`serve --port 0 --memory ${line}`, {
    signal: interrupt.signal,
    onStdout: (text) =>
      void during(text.trim())
        .catch((error: unknown) => (failure = error))
        .finally(end),
  });
  expect(failure).toBeUndefined();
  return result;
}

const key = { authorization: 'Bearer sk-svc-local' };

async function ask(url: string, body: unknown, headers: Record<string, string> = key) {
  const request = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${url}/v1/chat/completions`, request);
  return { status: response.status, text: await response.text() };
}

const question = (content: string) => ({
  model: 'local/guide',
  stream: true,
  messages: [{ role: 'user', content }],
});

it('records what programs ask, and answers the same without a key', async () => {
  const tape = join(testFolder(), 'tape.jsonl');
  let first: unknown;
  const log = await serving(`--record ${tape}`, async (url) => {
    first = await ask(url, question('hi'));
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(300_000)]), 'a.bin');
    const upload = await fetch(`${url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: key,
      body: form,
    });
    expect(upload.status).toBe(400);
    await upload.text();
    expect((await ask(url, question('ho'), {})).status).toBe(401);
  });
  // The log still has the price and the key's name.
  expect(log.stderr).toMatch(/POST +200 .*RUB .*\/v1\/chat\/completions/);
  expect(first).toMatchObject({ status: 200 });
  await serving(`--replay ${tape}`, async (url) => {
    expect(await ask(url, question('hi'), {})).toEqual(first);
    expect((await ask(url, question('ho'))).status).toBe(401);
    const { status, text } = await ask(url, question('hm'));
    expect(status).toBe(404);
    expect(text).toContain('is not on the tape: the nearest recorded request differs in');
    expect(text).toContain('"type":"not_found_error","code":"not_on_tape"');
  });
  await serving(`--replay ${tape} --on-miss record`, async (url) => {
    expect((await ask(url, question('hm'))).status).toBe(200);
  });
  await serving(`--replay ${tape}`, async (url) => {
    expect((await ask(url, question('hm'))).status).toBe(200);
  });
});

it('says why a recorded answer cannot be played', async () => {
  const tape = join(testFolder(), 'tape.jsonl');
  const long = question('x'.repeat(600_000));
  const echo = { ...long, model: 'local/echo' };
  await serving(`--record ${tape}`, async (url) => {
    expect(await ask(url, echo)).toMatchObject({ status: 200 });
  });
  rmSync(`${tape}.files`, { recursive: true });
  await serving(`--replay ${tape}`, async (url) => {
    const { status, text } = await ask(url, echo);
    expect(status).toBe(400);
    expect(text).toContain('cannot read the tape');
  });
});

it('begins only with a tape that it can use', async () => {
  const folder = testFolder();
  const path = join(folder, 'other.json');
  writeFileSync(path, '{}');
  mkdirSync(join(folder, 'dir'));
  const serve = (line: string) => run(`serve --port 0 --memory ${line}`);
  expect(await serve(`--record ${path}`)).toMatchObject(fails(11, 'line 1 does not begin a tape'));
  expect(await serve(`--replay ${path}`)).toMatchObject(fails(11, 'line 1 does not begin a tape'));
  expect(await serve(`--replay ${join(folder, 'dir')}`)).toMatchObject(fails(11, 'it is a folder'));
  expect(await serve(`--replay ${path} --record ${path}`)).toMatchObject(fails(2, '--record'));
  expect(await serve('--speed 1')).toMatchObject(fails(2, '--replay'));
});
