import type { ServerResponse } from 'node:http';
import { describe, expect, it, test } from 'vitest';
import { chunks, chunksEnd, fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { gate } from '../../helpers/gate.js';
import { run } from '../../helpers/run.js';

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
