import { describe, expect, it } from 'vitest';
import { listen, ListenError } from '../../src/service/listen.js';
import { setImmediate } from 'node:timers/promises';
import { json, type Reply } from '../../src/service/call.js';
import { gate } from '../helpers/gate.js';
import { openService } from './helpers.js';
import { answering, dial, exchange, start } from './raw-connection.js';

describe('where the service listens', () => {
  it.each(['0.0.0.0', '::', '192.168.1.10', '', '127.0.0.1.example.com'])(
    'is never %j',
    async (host) => {
      await expect(listen(openService(), { host, port: 0 })).rejects.toThrow(ListenError);
    },
  );

  it.each(['127.0.0.1', 'localhost', '127.0.0.2'])('may be %s', async (host) => {
    const { url } = await start(openService(), { host });
    expect(url).toMatch(/^http:\/\/(127\.0\.0\.[12]|\[::1\]):\d+$/);
    const response = await fetch(`${url}/api/catalog`);
    expect(response.status).toBe(200);
  });

  it('is reported when the port is taken', async () => {
    const { port } = await start(openService());
    const second = listen(openService(), { host: '127.0.0.1', port });
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(/EADDRINUSE/);
  });
});

it.each([
  ['its address', (port: number) => `127.0.0.1:${port}`, 200],
  ['localhost', (port: number) => `localhost:${port}`, 200],
  ['the address without the port', () => '127.0.0.1', 421],
  ['another port', (port: number) => `127.0.0.1:${port + 1}`, 421],
  ['another name', (port: number) => `attacker.example:${port}`, 421],
  ['a name that only begins like it', (port: number) => `localhost:${port}.attacker.example`, 421],
  ['a user before it', (port: number) => `x@localhost:${port}`, 421],
  ['nothing', () => '', 421],
])('which callers the service answers depends on the Host header: %s', async (_, host, status) => {
  const { port } = await start(openService());
  const reply = await exchange(port, ['GET /api/catalog HTTP/1.1', `host: ${host(port)}`]);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

it.each([
  ['two Host headers, though both are right', ['host: localhost:PORT', 'HOST: localhost:PORT']],
  ['two keys', ['authorization: Bearer a', 'Authorization: Bearer b']],
  ['two Idempotency-Keys', ['idempotency-key: a', 'idempotency-key: b']],
  ['two types', ['content-type: application/json', 'content-type: text/plain']],
])('which callers the service answers is refused with 400 for %s', async (_, fields) => {
  const { port } = await start(openService());
  const head = fields.map((field) => field.replace('PORT', String(port)));
  const host = head.some((field) => /^host:/i.test(field)) ? [] : [`host: localhost:${port}`];
  const reply = await exchange(port, ['GET /api/catalog HTTP/1.1', ...host, ...head], '{}');
  expect(reply).toMatch(/^HTTP\/1.1 400 /);
});

it('which callers the service answers excludes another origin in the request line', async () => {
  const { port } = await start(openService());
  const head = ['GET http://attacker.example/api/catalog HTTP/1.1', `host: localhost:${port}`];
  expect(await exchange(port, head)).toMatch(/^HTTP\/1.1 421 /);
});

it('a body that arrives in several pieces at once is read to its end', async () => {
  const { port } = await start(openService());
  const head = [
    'POST /v1/messages/count_tokens HTTP/1.1',
    `host: localhost:${port}`,
    'authorization: Bearer sk-svc-local',
    'content-type: application/json',
    'transfer-encoding: chunked',
  ];
  const body = JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'hi' }] });
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunks = chunk(body.slice(0, 20)) + chunk(body.slice(20)) + chunk('');
  expect(await exchange(port, head, chunks)).toMatch(/^HTTP\/1.1 200 /);
});

describe('requests on one connection, sent at once,', () => {
  async function sentAtOnce() {
    const begun: AbortSignal[] = [];
    const [first, next] = [gate(), gate()];
    const service = answering(async ({ signal, url }): Promise<Reply> => {
      begun.push(signal);
      (begun.length === 1 ? first : next).open();
      if (begun.length === 1) await next.opened;
      return json({ path: new URL(url).pathname });
    });
    const { port } = await start(service);
    const line = await dial(port);
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;
    line.socket.write(one('/a') + one('/b') + one('/c'));
    await first.opened;
    return { begun, line, next };
  }

  it('are answered one after the other', async () => {
    const { begun, line, next } = await sentAtOnce();
    await setImmediate();
    expect(begun).toHaveLength(1);
    next.open();
    const received = await line.until('/c');
    expect(received.match(/"\/[abc]"/g)).toEqual(['"/a"', '"/b"', '"/c"']);
  });

  it('are not begun when their sender has hung up', async () => {
    const { begun, line, next } = await sentAtOnce();
    line.socket.resetAndDestroy();
    await new Promise((resolve) => begun[0]?.addEventListener('abort', resolve));
    next.open();
    await setImmediate();
    expect(begun).toHaveLength(1);
  });
});
