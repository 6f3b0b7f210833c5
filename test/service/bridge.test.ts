import { expect, it } from 'vitest';
import { streamOf } from '../../src/service/call.js';
import { listen } from '../../src/service/listen.js';
import { openService } from './helpers.js';
import { gate } from '../helpers/gate.js';
import { answering, chatHead, dial, start } from './raw-connection.js';
import { scripted } from './script.js';

const chat = (more: object) =>
  JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hello there' }], ...more });

it('requests over a socket come through with their bodies, chunked or not, and the connection stays open', async () => {
  const { port } = await start(openService());
  const line = await dial(port);
  const body = chat({});
  line.socket.write([...chatHead(port, body.length), '', body].join('\r\n'));
  expect(await line.until('total_tokens')).toMatch(/^HTTP\/1.1 200 /);
  line.received = '';
  const head = chatHead(port, 0).map((field) =>
    field.startsWith('content-length') ? 'transfer-encoding: chunked' : field,
  );
  line.socket.write([...head, '', ''].join('\r\n'));
  for (const char of body) line.socket.write(`1\r\n${char}\r\n`);
  line.socket.write('0\r\n\r\n');
  expect(await line.until('total_tokens')).toMatch(/^HTTP\/1.1 200 /);
  expect(line.socket.closed).toBe(false);
});

it('requests over a socket get the refusal even while they are still sending', async () => {
  const { port } = await start(openService());
  const body = Buffer.alloc(20 * 1024 * 1024, 0x20);
  const line = await dial(port);
  line.socket.write([...chatHead(port, body.length, 'wrong'), '', ''].join('\r\n'));
  line.socket.write(body);
  await line.closed;
  expect(line.received).toMatch(/^HTTP\/1.1 401 [^]*invalid_api_key/);
});

it('requests over a socket are aborted when the body does not come', async () => {
  const { port } = await start(openService(), { headTimeoutMs: 100, requestTimeoutMs: 200 });
  const line = await dial(port);
  line.socket.write([...chatHead(port, 100), '', '{'].join('\r\n'));
  await line.closed;
  expect(line.received).not.toMatch(/^HTTP\/1.1 200 /);
});

it('streams over a socket end right after the terminator, and the connection stays usable', async () => {
  const { port } = await start(openService());
  for (const [path, more, terminator] of [
    ['/v1/chat/completions', { stream: true }, 'data: [DONE]\n\n'],
    ['/v1/messages', { stream: true, max_tokens: 50 }, 'data: {"type":"message_stop"}\n\n'],
  ] as const) {
    const line = await dial(port);
    const body = chat(more);
    const [, ...fields] = chatHead(port, body.length);
    line.socket.write([`POST ${path} HTTP/1.1`, ...fields, '', body].join('\r\n'));
    const got = await line.until(/\r\n0\r\n\r\n$/);
    expect(got.endsWith(`${terminator}\r\n0\r\n\r\n`)).toBe(true);
    expect(line.socket.closed).toBe(false);
  }
});

it('streams over a socket send each event as soon as there is one', async () => {
  const second = gate();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode('data: first\n\n'));
      await second.opened;
      controller.enqueue(encoder.encode('data: second\n\n'));
      controller.close();
    },
  });
  const { port } = await start(answering(() => ({ status: 200, headers: {}, body })));
  const line = await dial(port);
  line.socket.write(`GET /x HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
  expect(await line.until('first')).not.toContain('second');
  second.open();
  await line.until('second');
});

it('streams over a socket are cancelled when the reader goes away', async () => {
  let aborted = false;
  const cancelled = gate();
  const service = answering(({ signal }) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    async function* silentAfterOne() {
      yield Uint8Array.of(0x61);
      await new Promise(() => undefined);
    }
    return { status: 200, headers: {}, body: streamOf(silentAfterOne(), cancelled.open) };
  });
  const { port } = await start(service);
  const line = await dial(port);
  line.socket.write(`GET /x HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
  await line.until(/\r\n\r\n1\r\na/);
  line.socket.destroy();
  await cancelled.opened;
  expect(aborted).toBe(true);
});

it('streams over a socket wait for a slow reader instead of filling memory', async () => {
  const piece = new Uint8Array(64 * 1024);
  let made = 0;
  let idle = gate();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        made += piece.length;
        controller.enqueue(piece);
        clearTimeout(timer);
        // Nothing asked for in a while: the reader is waited for.
        timer = setTimeout(() => idle.open(), 200);
      },
    },
    { highWaterMark: 0 },
  );
  const { port } = await start(answering(() => ({ status: 200, headers: {}, body })));
  const line = await dial(port);
  line.socket.pause();
  line.socket.write(`GET /x HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`);
  await idle.opened;
  const before = made;
  // What the kernel and the process hold together; an unbounded sender would make gigabytes.
  expect(before).toBeLessThan(32 * 1024 * 1024);
  idle = gate();
  line.socket.removeAllListeners('data');
  line.socket.on('data', () => {
    if (made > before) idle.open();
  });
  line.socket.resume();
  await idle.opened;
  expect(made).toBeGreaterThan(before);
  line.socket.destroy();
  clearTimeout(timer);
});

it('streams over a socket break off as a script says: without the end of the body', async () => {
  const { service } = scripted([{ reply: 'half an answer', cut: 'drop' }]);
  const { port } = await start(service);
  for (const stream of [true, false]) {
    const body = chat({ model: 'script', stream });
    const line = await dial(port);
    line.socket.write([...chatHead(port, body.length), '', body].join('\r\n'));
    await line.closed;
    expect(line.received).toMatch(/^HTTP\/1.1 200 /);
    expect(line.received).toContain(stream ? ' answer' : '"chatcmpl-');
    expect(line.received).not.toMatch(/\r\n0\r\n\r\n$/);
  }
});

it('streams over a socket are broken off when the service is closed', async () => {
  const endless = answering(() => ({
    status: 200,
    headers: {},
    body: new ReadableStream<Uint8Array>(),
  }));
  const server = await listen(endless, { host: '127.0.0.1', port: 0 });
  const line = await dial(Number(new URL(server.url).port));
  line.socket.write(`GET /x HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\n\r\n`);
  await line.until('\r\n\r\n');
  await server.close();
  await line.closed;
});
