import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, fakeService, json } from '../../helpers/fake-service.js';
import { gate } from '../../helpers/gate.js';
import { run } from '../../helpers/run.js';

const formats = ['chat', 'messages', 'responses'] as const;
type Format = (typeof formats)[number];

const frame = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** A stream of each format that says `text`, and what ends it. */
const streams: Record<Format, (text: string) => { body: string; end: string }> = {
  chat: (text) => ({ body: chunks(text), end: chunksEnd }),
  messages: (text) => ({
    body:
      frame('message_start', { message: { id: 'm1', model: 'm', usage: { input_tokens: 1 } } }) +
      frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      frame('ping', {}) +
      frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    end:
      frame('content_block_stop', { index: 0 }) +
      frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
      frame('message_stop', {}),
  }),
  responses: (text) => ({
    body:
      frame('response.created', { response: { id: 'r1', model: 'm', status: 'in_progress' } }) +
      frame('response.output_text.delta', { output_index: 0, delta: text }),
    end: frame('response.completed', { response: { id: 'r1', model: 'm', status: 'completed' } }),
  }),
};

const ask = (format: Format, ...more: string[]) => [
  ...['chat', '-m', 'm', '--format', format],
  ...more,
  'hi',
];

const incomplete =
  /^error: the answer is incomplete: [^\n]+\nhint: the text so far is kept; [^\n]+\n$/;

describe.each(formats)('a stream in the format %s', (format) => {
  const { body, end } = streams[format]('ä🌍 b');

  it('is shown as it arrives', async () => {
    const { opened: shown, open: show } = gate();
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(body);
      void shown.then(() => response.end(end));
    });
    const result = await run(ask(format), {
      env: service.env,
      onStdout: (text) => {
        if (text.includes('b')) show();
      },
    });
    expect(result).toMatchObject({ code: 0, stdout: 'ä🌍 b\n' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['ends before its time', (response) => response.end(body)],
    ['drops', (response) => response.write(body, () => response.socket?.destroy())],
    [
      'tells of an error',
      (response) => response.end(body + frame('error', { error: { message: 'overloaded' } })),
    ],
  ])('that %s keeps its text and exits 12, nothing is requested again', async (_name, go) => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      go(response);
    });
    const result = await run(ask(format), { env: service.env });
    expect(result).toMatchObject({ code: 12, stdout: 'ä🌍 b\n' });
    expect(result.stderr).toMatch(incomplete);
    expect(service.requests).toHaveLength(1);
  });

  it('that stays silent is aborted after the idle time', async () => {
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(body);
    });
    const result = await run(ask(format, '--idle-timeout', '100ms'), { env: service.env });
    expect(result).toMatchObject({ code: 12, stdout: 'ä🌍 b\n' });
    expect(result.stderr).toMatch(incomplete);
    expect(result.stderr).toContain('100 ms');
  });
});

describe('a service that answers oddly', () => {
  it.each([
    [502, 'text/html', '<html><title>502 Bad Gateway</title></html>', 10, 'an HTML page'],
    [401, 'text/plain', '', 4, '401'],
    [400, 'application/json', '{"error": {"mess', 10, 'truncated JSON'],
    [404, 'text/plain', 'nginx says no', 10, 'nginx says no'],
  ])('with %i and %s %j gives a plain sentence', async (status, type, body, code, sentence) => {
    const service = await fakeService((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const result = await run('chat -m m hi', { env: service.env });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    expect(result.stderr).toContain(sentence);
    expect(service.requests).toHaveLength(1);
  });

  it('that enforces its rate limit ends in exit 7, and one beyond the deadline at once', async () => {
    const clock = { now: () => 0, random: () => 0.5, sleep: () => Promise.resolve() };
    const service = await fakeService(json({ error: 'slow down' }, 429, { 'retry-after': '7' }));
    const result = await run('chat -m m hi', { env: service.env, clock });
    expect(result).toMatchObject({ code: 7, stdout: '' });
    expect(result.stderr).toBe(
      'waiting 7 s: the service answered 429 and asked to wait\n' +
        'error: slow down\nhint: wait 7 s, then run it again\n',
    );
    expect(service.requests).toHaveLength(3);
    await run('chat -m m --timeout 5s hi', { env: service.env });
    expect(service.requests).toHaveLength(4);
  });

  it('that drops the connection after the request leaves the outcome unknown: exit 10', async () => {
    const service = await fakeService((_request, response) => response.socket?.destroy());
    const result = await run('chat -m m hi', { env: service.env });
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(result.stderr).toMatch(/^error: [^\n]+charged\nhint: [^\n]+`svc usage list`\n$/);
    expect(service.requests).toHaveLength(1);
  });
});
