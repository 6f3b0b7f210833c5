import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { type Answer, chunks, chunksEnd, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { eventLoopTurns } from './scene.js';

const frame = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const text = 'ä🌍 b';

/** A stream of each format that says the text, and what ends it. */
const streams = {
  chat: { body: chunks(text), end: chunksEnd },
  messages: {
    body:
      frame('message_start', { message: { id: 'm1', model: 'm', usage: { input_tokens: 1 } } }) +
      frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      frame('ping', {}) +
      frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    end: frame('message_stop', {}),
  },
  responses: {
    body: frame('response.output_text.delta', { output_index: 0, delta: text }),
    end: frame('response.completed', { response: { id: 'r1', model: 'm', status: 'completed' } }),
  },
};

const streaming = (go: (response: ServerResponse) => unknown): Answer => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    go(response);
  };
};

describe.each(Object.entries(streams))('a stream in the format %s', (format, { body, end }) => {
  it('is shown as it arrives', async () => {
    const { opened, open } = gate();
    const { env } = await fakeService(
      streaming((response) => {
        response.write(body);
        void opened.then(() => response.end(end));
      }),
    );
    const onStdout = (shown: string) => {
      if (shown.includes('b')) open();
    };
    const result = await run(`chat -m m --format ${format} hi`, { env, onStdout });
    expect(result).toMatchObject({ code: 0, stdout: `${text}\n` });
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['ends before its time', (response) => response.end(body), ''],
    ['drops', (response) => response.write(body, () => response.socket?.destroy()), ''],
    [
      'tells of an error',
      (response) => response.end(body + frame('error', { error: { message: 'overloaded' } })),
      '',
    ],
    ['stays silent for the idle time', (response) => response.write(body), '100 ms'],
  ])('that %s keeps its text and exits 12, nothing is requested again', async (...row) => {
    const [, go, words] = row;
    const { env, requests } = await fakeService(streaming(go));
    const line = `chat -m m --format ${format} --idle-timeout ${words === '' ? '1m' : '100ms'} hi`;
    const result = await run(line, { env });
    expect(result).toMatchObject({ code: 12, stdout: `${text}\n` });
    const error = /^error: the answer is incomplete: .+\nhint: the text so far is kept; .+\n$/;
    expect(result.stderr).toMatch(error);
    expect(result.stderr).toContain(words);
    expect(requests).toHaveLength(1);
  });
});

test.each([
  [502, 'text/html', '<html><title>502 Bad Gateway</title></html>', 10, 'an HTML page'],
  [401, 'text/plain', '', 4, '401'],
  [400, 'application/json', '{"error": {"mess', 10, 'truncated JSON'],
  [404, 'text/plain', 'nginx says no', 10, 'nginx says no'],
])('an answer with %i and %s %j gives a plain sentence', async (...row) => {
  const [status, type, body, code, sentence] = row;
  const { env, requests } = await fakeService((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const result = await run('chat -m m hi', { env });
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(/^error: .+\n(hint: .+\n)?$/);
  expect(result.stderr).toContain(sentence);
  expect(requests).toHaveLength(1);
});

test('a rate limit that lasts ends in exit 7, and one beyond the deadline at once', async () => {
  const clock = { now: () => 0, random: () => 0.5, sleep: () => Promise.resolve() };
  const limited = json({ error: 'slow down' }, 429, { 'retry-after': '7' });
  const { env, requests } = await fakeService(limited);
  const result = await run('chat -m m hi', { env, clock });
  expect(result).toMatchObject({ code: 7, stdout: '' });
  expect(result.stderr).toBe(
    'waiting 7 s: the service answered 429 and asked to wait\n' +
      'error: slow down\nhint: wait 7 s, then run it again\n',
  );
  expect(requests).toHaveLength(3);
  await run('chat -m m --timeout 5s hi', { env });
  expect(requests).toHaveLength(4);
});

test('a connection that drops after the request leaves the outcome unknown: exit 10', async () => {
  const { env, requests } = await fakeService((_request, { socket }) => socket?.destroy());
  const result = await run('chat -m m hi', { env });
  expect(result).toMatchObject({ code: 10, stdout: '' });
  expect(result.stderr).toMatch(/^error: .+charged\nhint: .+`svc usage list`\n$/);
  expect(requests).toHaveLength(1);
});

/** Asks a service whose answer begins after this silence, and ends when `until` is shown. */
async function waited(line: string, silenceMs: number, until: string, options: RunOptions = {}) {
  const clock = new ManualClock();
  const { opened, open } = gate();
  const { env } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    clock.pass(silenceMs);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (until === '') open();
    void opened.then(() => response.end(chunks('Yes.') + chunksEnd));
  });
  const onStderr = (text: string) => {
    if (text.includes(until)) open();
  };
  const tty = { stdin: true, stderr: true };
  return run(line, { tty, ...options, env: { ...env, ...options.env }, clock, onStderr });
}

it.each(['hi', '--no-stream hi', '-x hi'])(
  'a silence before the answer shows a spinner after 300 ms, which leaves no trace: svc chat %s',
  async (words) => {
    const { stderr } = await waited(`chat -m v ${words}`, 300, 'waiting for');
    expect(stderr).toContain('waiting for v');
    // Its line is cleared, and the cursor is back.
    const [before = '', after = ''] = stderr.split('\u001b[?25h');
    expect(before).toMatch(/^\u001b\[\?25l[^]*\u001b\[1G\u001b\[0K$/);
    expect(after).not.toContain('waiting');
  },
);

it.each([
  ['that is shorter', 'hi', 299, {}],
  ['under --quiet', '-q hi', 300, {}],
  ['under --json', '--json hi', 300, {}],
  ['on a dumb terminal', 'hi', 300, { env: { TERM: 'dumb' } }],
  ['where stderr is not a terminal', 'hi', 300, { tty: { stdin: true, stdout: true } }],
])('a silence before the answer shows nothing %s', async (_, words, silenceMs, options) => {
  const result = await waited(`chat -m v ${words}`, silenceMs, '', options);
  expect(result).toMatchObject({ code: 0, stderr: '' });
});

const delta = (type: string, fields: object) => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
const starts = {
  chat: chunks('Hello, wor'),
  messages:
    delta('message_start', { message: { id: 'm', usage: { output_tokens: 0 } } }) +
    delta('content_block_delta', { index: 0, delta: { text: 'Hello, wor' } }),
  responses: delta('response.output_text.delta', { delta: 'Hello, wor' }),
};

/** Runs a line against a service that begins an answer, and interrupts it there. */
async function interrupted(line: string, start = starts.chat, options: RunOptions = {}) {
  const interrupt = new AbortController();
  const { env, requests } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      json({ id: 'gen_1', priceRub: 1.25, balance_rub: 7.5, currency: 'RUB' })(request, response);
      return;
    }
    const id = { 'x-svc-generation-id': 'gen_1' };
    response.writeHead(200, { 'content-type': 'text/event-stream', ...id });
    response.write(start);
    void eventLoopTurns().then(() => interrupt.abort(new Interrupted('SIGINT')));
  });
  const result = await run(line, { ...options, env, signal: interrupt.signal });
  return { ...result, sent: requests.length };
}

const about =
  'stopped after about 3 output tokens, which may have been charged: `svc usage list` shows it\n';

test.each(Object.entries(starts))(
  'an interrupted answer keeps its text and says how much arrived, in the format %s',
  async (format, start) => {
    const shown = await interrupted(`chat -m v --format ${format} hi`, start);
    expect(shown).toMatchObject({ code: 130, stdout: 'Hello, wor\n', stderr: about, sent: 1 });
    const asJson = await interrupted(`chat -m v --format ${format} --json hi`, start);
    expect(asJson).toMatchObject({ code: 130, stderr: about });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ text: 'Hello, wor', complete: false });
  },
);

test('an interrupted answer names the number of tokens where the service counts them', async () => {
  const usage = `data: ${JSON.stringify({ choices: [], usage: { completion_tokens: 34 } })}\n\n`;
  const { stderr } = await interrupted('chat -m v hi', starts.chat + usage);
  expect(stderr).toBe(about.replace('about 3', '34'));
});

test('an interrupted answer says where the text of -o is', async () => {
  const path = join(testFolder(), 'a');
  const { stdout, stderr } = await interrupted(`chat -m v -o ${path} hi`);
  expect(stdout).toBe('');
  expect(stderr).toBe(`the text so far is in ${path}.part\n${about}`);
  expect(readFileSync(`${path}.part`, 'utf8')).toBe('Hello, wor');
});

test('an interrupted answer says on a terminal what it cost, which takes two requests', async () => {
  const tty = { stdin: true, stderr: true };
  const shown = await interrupted('chat -m v hi', starts.chat, { tty });
  expect(shown).toMatchObject({ stderr: `${about}1.25 RUB · balance 7.50 RUB\n`, sent: 3 });
});
