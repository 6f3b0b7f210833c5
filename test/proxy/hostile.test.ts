/** Requests with which another program or a page in a browser would reach the account. */
import { expect, it } from 'vitest';
import { keys } from '../service/helpers.js';
import { dial, exchange } from '../service/raw-connection.js';
import { startPeer } from '../service/sdk/peer.js';
import { clientFor, runKey, startProxy } from './rig.js';

const body = JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'hi' }] });
const path = '/v1/chat/completions';
const key = `authorization: Bearer ${runKey}`;
const length = `content-length: ${body.length}`;

async function begin() {
  const peer = await startPeer();
  const proxy = await startProxy(await clientFor(peer.url, {}, keys.local));
  const { port } = proxy;
  return { peer, proxy, port, host: `host: 127.0.0.1:${port}` };
}

it.each<[string, number, string, readonly string[]]>([
  ['the name of another host', 421, path, ['host: attacker.example', key, length]],
  ['no host', 400, path, [key, length]],
  ['two hosts', 400, path, ['HOST', 'host: attacker.example', key, length]],
  ['an absolute target', 421, `http://attacker.example${path}`, ['HOST', key, length]],
  ['a target without a path', 421, '*', ['HOST', key, length]],
  ['two keys', 400, path, ['HOST', key, 'authorization: Bearer other', length]],
  ['the key of the account', 401, path, ['HOST', `x-api-key: ${keys.local}`, length]],
  ['an upgrade', 426, path, ['HOST', key, length, 'connection: upgrade', 'upgrade: websocket']],
  ['an upgrade to HTTP/2', 426, path, ['HOST', key, length, 'upgrade: h2c']],
  ['two lengths', 400, path, ['HOST', key, length, 'content-length: 4']],
  ['a length and chunks', 400, path, ['HOST', key, length, 'transfer-encoding: chunked']],
  [
    'chunks of a coding that nobody knows',
    400,
    path,
    ['HOST', key, 'transfer-encoding: chunked, x'],
  ],
  [
    '10,000 headers',
    431,
    path,
    ['HOST', key, length, ...Array.from({ length: 10_000 }, (_, i) => `x-${i}: 1`)],
  ],
  ['a header of 1 MiB', 431, path, ['HOST', key, length, `x-long: ${'x'.repeat(1 << 20)}`]],
  ['a path that climbs', 404, '/v1/models/..%2f..%2fetc', ['HOST', key, length]],
  ['a path with a trick in it', 404, '/v1/chat%2fcompletions', ['HOST', key, length]],
])('%s is refused with %i, and reaches no service', async (_, status, target, given) => {
  const { host, peer, port } = await begin();
  const lines = given.map((line) => (line === 'HOST' ? host : line));
  const reply = await exchange(port, [`POST ${target} HTTP/1.1`, ...lines], body);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*?\r\n\r\n`));
  expect(reply.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(reply).not.toContain(keys.local);
  expect(reply).not.toContain('embedded service');
  expect(peer.exchanges).toEqual([]);
});

it.each(['CONNECT attacker.example:443', 'TRACE /v1/models', 'TRACK /v1/models', 'PRI *'])(
  '%s opens nothing',
  async (start) => {
    const { host, peer, port } = await begin();
    const reply = await exchange(port, [`${start} HTTP/1.1`, host, key]);
    expect(reply).toMatch(/^(?:HTTP\/1.1 4\d\d [^]*)?$/);
    expect(peer.exchanges).toEqual([]);
  },
);

it('a page in a browser gets no permission, and no answer without the key', async () => {
  const { peer, proxy } = await begin();
  const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };
  for (const [method, target] of [
    ['OPTIONS', path],
    ['GET', '/'],
    ['GET', '/v1/balance'],
  ] as const) {
    const answer = await fetch(proxy.url + target, { method, headers });
    const names = [...answer.headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  expect(peer.exchanges).toEqual([]);
});

it('requests in one write are answered in order, one after the other', async () => {
  const { host, peer, port } = await begin();
  const line = await dial(port);
  const one = [`POST ${path} HTTP/1.1`, host, key, length, 'content-type: application/json'];
  const last = [`GET /nowhere HTTP/1.1`, host, key, 'connection: close', '', ''];
  line.socket.write(
    [...one, '', body + [...one, '', body + last.join('\r\n')].join('\r\n')].join('\r\n'),
  );
  await line.closed;
  const statuses = Array.from(line.received.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status);
  expect(statuses).toEqual(['200', '200', '404']);
  expect(peer.exchanges).toHaveLength(2);
});

it('a body that never ends costs nothing and holds up nobody', async () => {
  const { host, peer, port, proxy } = await begin();
  const head = [`POST ${path} HTTP/1.1`, host, key, 'transfer-encoding: chunked', '', ''];
  const lines = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
  for (const { socket } of lines) socket.write(`${head.join('\r\n')}10\r\n{"model":"local/e\r\n`);
  const answer = await proxy.chat();
  expect(answer.status).toBe(200);
  await answer.text();
  for (const { socket } of lines) socket.destroy();
  await proxy.endOf(101);
  expect(peer.exchanges.filter(({ request }) => request.method === 'POST')).toHaveLength(1);
  expect(proxy.proxy.totals.all).toMatchObject({ requests: 101, refused: 0 });
});

it.each<[string, string, Readonly<Record<string, string>>]>([
  ['a byte order mark', `\ufeff${body}`, {}],
  ['a comma too much', body.replace('}]}', '},]}'), {}],
  ['a list around it', `[${body}]`, {}],
  ['a form that is none', body, { 'content-type': 'multipart/form-data; boundary=x' }],
])('a body of which svc cannot read the price is not sent: %s', async (_, sent, headers) => {
  const peer = await startPeer();
  const client = await clientFor(peer.url, { maxCost: 0.001 }, keys.local);
  const proxy = await startProxy(client);
  const given = { 'content-type': 'application/json', ...headers };
  const answer = await proxy.ask(path, { method: 'POST', body: sent, headers: given });
  expect([400, 402]).toContain(answer.status);
  expect(peer.exchanges.filter(({ request }) => request.method === 'POST')).toEqual([]);
});

it.each([null, false, ' ', [], '0x0'])(
  'a job with %j for its ceiling is not sent',
  async (max_price_rub) => {
    const peer = await startPeer();
    const proxy = await startProxy(await clientFor(peer.url, { maxCost: 0.001 }, keys.local));
    const job = { model: 'local/canvas', prompt: 'a lighthouse', max_price_rub };
    expect((await proxy.post('/api/media/generate', job)).status).toBe(402);
    expect(peer.exchanges.filter(({ request }) => request.method === 'POST')).toEqual([]);
  },
);
