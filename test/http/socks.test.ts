import { createServer } from 'node:http';
import net, { type Socket } from 'node:net';
import { inspect } from 'node:util';
import { Socks5Server } from '@pondwader/socks5-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTransport } from '../../src/http/attempt.js';
import { createPoolTransport } from '../../src/http/pool.js';
import { authorityFile } from './certificate.js';
import { secureService } from './proxies.js';
import { getting, listening, patient, peer, rejection, textOf } from './rig.js';
import { runChild } from './run-child.js';

/** Behind any proxy, for it is not loopback. */
const plain = new URL('http://service.test/v1/models?all=true');

/** A service that answers with what it was asked, and a SOCKS5 server that leads any host to it. */
async function scene(login?: string) {
  const service = await listening(createServer(({ url }, response) => response.end(url)));
  return proxyTo(service.port, login);
}

async function proxyTo(port: number, login?: string) {
  const socks = new Socks5Server();
  const asked: string[] = [];
  if (login) {
    socks.setAuthHandler(({ username, password }) => `${username}:${password}` === login);
  }
  socks.setConnectionHandler(({ destAddress, destPort, socket }, sendStatus) => {
    asked.push(`${destAddress} ${destPort}`);
    const target = net.connect(port, '127.0.0.1', () => {
      sendStatus('REQUEST_GRANTED');
      socket.pipe(target).pipe(socket);
    });
    socket.on('close', () => target.destroy());
    target.on('error', () => socket.destroy());
  });
  const { port: own } = await peer((socket) => void socks._handleConnection(socket));
  return { host: `127.0.0.1:${own}`, asked, socks };
}

describe.each(['a single attempt', 'a pool'])('%s through a SOCKS proxy', (name) => {
  async function get(url: URL, proxy: string, more: object = {}) {
    const env = { ALL_PROXY: proxy };
    if (name === 'a single attempt') return createTransport({ env })(getting(url, more));
    const pool = await createPoolTransport({ env, baseUrl: url, connections: 1 });
    onTestFinished(pool.close);
    return pool.transport(getting(url, more));
  }
  const answer = async (url: URL, proxy: string) => textOf(await get(url, proxy));

  it('asks the service itself, by the name that the proxy looks up', async () => {
    const { asked, host } = await scene();
    expect(await answer(plain, `socks5h://${host}`)).toBe('/v1/models?all=true');
    expect(asked).toEqual(['service.test 80']);
  });

  it('logs in with the name and password of the address', async () => {
    const { host } = await scene('me:p@ss word');
    expect(await answer(plain, `socks5h://me:p%40ss%20word@${host}`)).toContain('/v1/models');
    for (const [login, words] of [
      ['', 'requires a user name and password'],
      ['me:hunter22@', 'does not accept the user name and password'],
    ] as const) {
      const failure = await rejection(get(plain, `socks5h://${login}${host}`));
      expect(failure).toMatchObject({ reason: 'proxy-login', sent: false });
      expect(String(failure)).toContain(`service.test: the proxy ${host} ${words}`);
      expect(inspect(failure, { depth: 9 })).not.toContain('hunter22');
    }
  });

  it('hands over addresses as they are, and looks names up itself under socks5', async () => {
    const { asked, host } = await scene();
    for (const [scheme, at] of [
      ['socks', '192.0.2.1'],
      ['socks5', '[2001:db8::1]:8080'],
    ] as const) {
      expect(await answer(new URL(`http://${at}/a`), `${scheme}://${host}`)).toBe('/a');
    }
    expect(asked).toEqual(['192.0.2.1 80', '2001:0db8:0000:0000:0000:0000:0000:0001 8080']);
    const failure = await rejection(get(new URL('http://service.invalid/'), `socks5://${host}`));
    expect(failure).toMatchObject({ sent: false });
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['refuses', '0500 05050001000000000000', 'refuses to connect (connection refused)'],
    ['is too far away', '0500 05060001000000000000', 'refuses to connect (time to live expired)'],
    ['only fails', '0500 05010001000000000000', 'refuses to connect'],
    ['refuses for no known reason', '0500 056300010000', 'refuses to connect'],
    ['accepts no login', '05ff', 'requires a user name and password'],
    ['asks for an unknown login', '054d', 'requires a user name and password'],
    ['speaks something else', hex('HTTP/1.1 400 Bad\r\n\r\n'), 'does not speak SOCKS5'],
    ['changes its language', `0500 ${hex('x'.repeat(100))}`, 'refuses to connect'],
    ['hangs up', '', 'closed the connection'],
  ])('says so when it %s', async (_, answers, words) => {
    const { port } = await peer((socket) => {
      const replies = answers.split(' ');
      socket.on('data', () => {
        const reply = Buffer.from(replies.shift() ?? '', 'hex');
        if (reply.length === 0) socket.destroy();
        else socket.write(reply);
      });
    });
    const failure = await rejection(get(plain, `socks5h://127.0.0.1:${port}`));
    const reason = words.includes('password') ? 'proxy-login' : 'connect';
    expect(failure).toMatchObject({ reason, sent: false });
    const ending = `service.test: the proxy 127.0.0.1:${port} ${words}`;
    expect(String(failure).endsWith(ending)).toBe(true);
  });

  it('ends within the connect time limit, whatever the proxy does', async () => {
    const timeouts = { ...patient, connectMs: 80 };
    const trickle = (socket: Socket) => {
      const timer = setInterval(() => socket.write(Buffer.from([5])), 60);
      socket.on('close', () => clearInterval(timer));
    };
    for (const manner of [() => undefined, trickle]) {
      const { port } = await peer(manner);
      const failure = await rejection(get(plain, `socks5h://127.0.0.1:${port}`, { timeouts }));
      expect(failure).toMatchObject({ sent: false });
    }
    const nobody = await rejection(get(plain, 'socks5h://127.0.0.1:1'));
    expect(String(nobody)).toContain('proxy 127.0.0.1:1: the connection was refused');
  });
});

it.each([
  ['socks4a://me@', 'http://service.test:8080/a', '04011f90000000016d6500' + hex('service.test\0')],
  ['socks4://', 'http://192.0.2.1/a', '04010050c000020100'],
])('%s asks for %s in the older protocol', async (scheme, url, expected) => {
  let asked = '';
  const { port } = await peer((socket) => {
    socket.once('data', (piece: Buffer) => {
      asked = piece.toString('hex');
      socket.write(Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]));
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
  });
  const transport = createTransport({ env: { ALL_PROXY: `${scheme}127.0.0.1:${port}` } });
  expect(await textOf(await transport(getting(new URL(url))))).toBe('ok');
  expect(asked).toBe(expected);
});

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

it('a download is read whole through a SOCKS proxy', async () => {
  const bytes = Buffer.alloc(3_000_000, 'abc');
  const service = await listening(createServer((_, response) => response.end(bytes)));
  const { host } = await proxyTo(service.port);
  const transport = createTransport({ env: { http_proxy: `socks5h://${host}` } });
  const response = await transport(getting(plain, { isBulk: true }));
  expect((await textOf(response)) === bytes.toString()).toBe(true);
});

it.each(['', '1'])('https through a SOCKS proxy is checked as ever (POOL=%s)', async (POOL) => {
  const service = await secureService();
  const { asked, host } = await proxyTo(service.port);
  const env = { POOL, HTTPS_PROXY: `socks5h://${host}` };
  const secure = 'https://service.test/v1/models';
  const { results } = await runChild({ ...env, NODE_EXTRA_CA_CERTS: authorityFile }, secure);
  expect(results).toEqual([{ status: 200, text: 'from the service' }]);
  expect(asked).toEqual(['service.test 443']);
  const wary = await runChild(env, secure);
  expect(wary.results[0]).toMatchObject({ reason: 'tls', sent: false });
  const exempt = await runChild({ ...env, NO_PROXY: 'service.test' }, secure);
  expect(exempt.results[0]?.sent).toBe(false);
  expect(asked).toHaveLength(2);
});
