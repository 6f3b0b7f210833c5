/** Requests that a hostile page, script or neighbour might send. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { brandFrom } from '../../../src/contract/brand.js';
import { endpoints } from '../../../src/contract/index.js';
import { createService } from '../../../src/service/service.js';
import { Sql } from '../../../src/lib/sql.js';
import { testFolder } from '../../helpers/folder.js';
import { FakeClock, keys } from '../helpers.js';
import { dial, exchange, start } from '../raw-connection.js';
import { balancedRecords } from './ledger.js';

const Table = z.object({ name: z.string() });
const Row = z.record(z.string(), z.unknown());

/** Everything that a store holds. */
function dump(path: string): unknown {
  const sql = new Sql(path);
  const tables = sql.all(
    Table,
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  );
  const rows = tables.map(({ name }) => [name, sql.all(Row, `SELECT * FROM "${name}"`)] as const);
  sql.close();
  return rows;
}

interface Call extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service on a file of its own, behind a socket. */
async function serve() {
  const storePath = join(testFolder(), 'local.sqlite');
  const service = createService({ storePath, clock: new FakeClock() });
  onTestFinished(() => service.close());
  const { url, port } = await start(service);
  const call = (path: string, { headers, ...init }: Call = {}) => {
    const own = { authorization: `Bearer ${keys.local}` };
    return fetch(url + path, { ...init, headers: { ...own, ...headers } });
  };
  const post = (path: string, body: unknown) =>
    call(path, { method: 'POST', body: JSON.stringify(body) });
  return { url, port, storePath, call, post };
}

const hello = { model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] };
const chatPath = '/v1/chat/completions';

function chatLines(port: number, more: readonly string[] = [], body = JSON.stringify(hello)) {
  const fields = [`POST ${chatPath} HTTP/1.1`, `content-length: ${Buffer.byteLength(body)}`];
  return { head: [...fields, `authorization: Bearer ${keys.local}`, ...more], body };
}

const origin = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' };

it('a page in a browser never gets permission to read or send', async () => {
  const { call } = await serve();
  const ask = {
    ...origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
    'access-control-request-private-network': 'true',
  };
  for (const [path, method] of [
    [chatPath, 'OPTIONS'],
    ['/v1/balance', 'GET'],
    ['/api/catalog', 'GET'],
    ['/nowhere', 'GET'],
  ] as const) {
    const { headers } = await call(path, { method, headers: ask });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

describe('a request that should change nothing', () => {
  const brand = brandFrom('svc');
  const readable = endpoints.filter(({ method }) => method === 'GET');

  it('changes nothing, whatever row it reads', async () => {
    const { call, post, storePath } = await serve();
    const paid = await post(chatPath, hello);
    const id = paid.headers.get('x-svc-generation-id') ?? '';
    const before = dump(storePath);
    expect(JSON.stringify(before)).toContain(id);
    for (const row of readable) {
      const path = brand.path(row.path).replaceAll(/\{\w+\}/g, id);
      await (await call(path)).arrayBuffer();
      await (await call(path, { method: 'HEAD' })).arrayBuffer();
    }
    expect(dump(storePath)).toEqual(before);
  });

  it('spends nothing by a read with a body that calls itself a POST', async () => {
    const { port, storePath } = await serve();
    const override = ['x-http-method-override: POST', 'x-method-override: POST'];
    const { head, body } = chatLines(port, [`host: localhost:${port}`, ...override]);
    const [, ...fields] = head;
    const reply = await exchange(port, [`GET ${chatPath} HTTP/1.1`, ...fields], body);
    expect(reply).toMatch(/^HTTP\/1.1 405 /);
    expect(balancedRecords(storePath)).toEqual([]);
  });
});

it.each([
  ['/api/catalog/../../v1/balance', ''],
  ['/api/catalog/%2e%2e/%2e%2e/v1/balance', ''],
  ['/api/catalog/..%2f..%2fv1%2fbalance', ''],
  ['/api/catalog\\..\\..\\v1\\balance', ''],
  ['/v1/balance%00', ''],
  ['/v1/balance;/api/catalog', ''],
  ['/v1/%62alance', ''],
  ['/etc/passwd', keys.local],
  ['/v1/models/..%2f..%2f..%2fetc%2fpasswd', keys.local],
  ['/v1/models/%c0%ae%c0%ae%c0%afetc', keys.local],
  ['/v1/models/local%2Fecho%00.json', keys.local],
  ['/v1/models/__proto__', keys.local],
])('a path with a trick in it opens nothing: %s with the key %j', async (path, key) => {
  const { port } = await serve();
  const own = key === '' ? [] : [`authorization: Bearer ${key}`];
  const head = [`GET ${path} HTTP/1.1`, `host: localhost:${port}`, ...own];
  const reply = await exchange(port, head);
  expect(reply).toMatch(key === '' ? /^HTTP\/1.1 40[14] / : /^HTTP\/1.1 404 /);
  expect(reply).not.toContain('balance_rub');
});

it.each([
  ['two lengths', ['content-length: 4', 'content-length: 5']],
  ['a length and chunks', ['content-length: 4', 'transfer-encoding: chunked']],
  ['a length below zero', ['content-length: -1']],
  ['chunks of a coding that nobody knows', ['transfer-encoding: chunked, x']],
])('requests that overlap or never end smuggle in no second request: %s', async (_, framing) => {
  const { port, storePath } = await serve();
  const own = [`host: localhost:${port}`, `authorization: Bearer ${keys.local}`];
  const { head, body } = chatLines(port, [`host: localhost:${port}`]);
  const smuggled = ['0', '', ...head, '', body].join('\r\n');
  const first = [`POST ${chatPath} HTTP/1.1`, ...own, ...framing];
  expect(await exchange(port, first, smuggled)).toMatch(/^HTTP\/1.1 400 [^]*?\r\n\r\n$/);
  expect(balancedRecords(storePath)).toEqual([]);
});

it('requests that overlap or never end do not keep others waiting, and are given up: heads that never end', async () => {
  const { port } = await start(createQuiet(), { headTimeoutMs: 1000 });
  const lines = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
  for (const line of lines) line.socket.write(`GET /api/catalog HTTP/1.1\r\nhost: localhost:`);
  const reply = await exchange(port, ['GET /api/catalog HTTP/1.1', `host: localhost:${port}`]);
  expect(reply).toMatch(/^HTTP\/1.1 200 /);
  expect(lines.filter(({ socket }) => !socket.closed).length).toBe(100);
  const dripping = setInterval(() => {
    for (const { socket } of lines) if (socket.writable) socket.write('1');
  }, 100);
  await Promise.all(lines.map(({ closed }) => closed));
  clearInterval(dripping);
  for (const { received } of lines) expect(received).toMatch(/^(HTTP\/1.1 408 |$)/);
});

function createQuiet() {
  const service = createService({ storePath: ':memory:', clock: new FakeClock() });
  onTestFinished(() => service.close());
  return service;
}
