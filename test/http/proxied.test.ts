import { describe, expect, it } from 'vitest';
import { createTransport } from '../../src/http/attempt.js';
import { authorityFile } from './certificate.js';
import { proxyServer, tunnelled } from './proxies.js';
import { getting, patient, rejection, textOf, whole } from './rig.js';
import { runChild } from './run-child.js';

/** Behind any proxy, for it is not loopback. */
const plain = new URL('http://service.test/v1/models?all=true');
const secure = new URL('https://service.test/v1/models?all=true');

const trusting = { NODE_EXTRA_CA_CERTS: authorityFile };

describe('https through a proxy', () => {
  it('passes a tunnel that shows the proxy the host alone', async () => {
    const { service, proxy } = await tunnelled();
    const env = { ...trusting, HTTPS_PROXY: proxy.address };
    const { results } = await runChild(env, secure.href);
    expect(results).toEqual([{ status: 200, text: 'from the service' }]);
    expect(service.received).toEqual(['GET /v1/models?all=true']);
    expect(proxy.heads[0]).toContain('CONNECT service.test:443 HTTP/1.1');
    expect(proxy.seen()).not.toContain('/v1/models');
    expect(proxy.seen()).not.toContain('for the service alone');
  });

  it('sends the proxy the name and password in its address', async () => {
    const { proxy } = await tunnelled();
    await runChild({ HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}` }, secure.href);
    expect(proxy.heads[0]?.toLowerCase()).toContain('proxy-authorization: basic');
    expect(proxy.heads[0]).toContain(Buffer.from('me:p@ss').toString('base64'));
  });

  it('checks the certificate of the service behind the proxy', async () => {
    const { service, proxy } = await tunnelled();
    const wary = await runChild({ HTTPS_PROXY: proxy.address }, secure.href);
    expect(wary.results[0]).toMatchObject({ reason: 'tls', sent: false });
    const env = { ...trusting, HTTPS_PROXY: proxy.address };
    const other = await runChild(env, 'https://other.test/');
    expect(other.results[0]).toMatchObject({ reason: 'tls', sent: false });
    expect(service.received).toEqual([]);
  });
});

describe('a proxy in the way', () => {
  it.each([
    ['407 Proxy Authentication Required', 'proxy-login', 'requires a user name and password'],
    ['502 Bad Gateway', 'connect', 'refuses to connect (502)'],
  ])('is reported when it answers %s, and nothing was sent', async (status, reason, words) => {
    const proxy = await proxyServer((_head, socket) => socket.end(whole('', status)));
    const transport = createTransport({ env: { HTTPS_PROXY: proxy.address } });
    const failure = await rejection(transport(getting(secure)));
    expect(failure).toMatchObject({ reason, sent: false });
    expect(String(failure)).toContain(words);
    expect(String(failure)).toContain(`127.0.0.1:${proxy.port}`);
  });

  it('is named when it cannot be reached', async () => {
    const transport = createTransport({ env: { HTTPS_PROXY: 'http://127.0.0.1:1' } });
    const failure = await rejection(transport(getting(secure)));
    expect(failure).toMatchObject({ reason: 'connect', sent: false });
    expect(String(failure)).toContain('proxy 127.0.0.1:1: the connection was refused');
  });

  it('is not waited for longer than for any connection', async () => {
    const proxy = await proxyServer(() => undefined);
    const transport = createTransport({ env: { HTTPS_PROXY: proxy.address } });
    const timeouts = { ...patient, connectMs: 60 };
    const failure = await rejection(transport(getting(secure, { timeouts })));
    expect(failure).toMatchObject({ reason: 'connect-timeout', sent: false });
    expect(String(failure)).toContain(`no connection through the proxy 127.0.0.1:${proxy.port}`);
  });
});

describe('http through a proxy', () => {
  const through = (address: string) => createTransport({ env: { http_proxy: address } });

  it('asks the proxy for the whole URL', async () => {
    const proxy = await proxyServer((_head, socket) => socket.end(whole('by proxy')));
    const response = await through(proxy.address)(getting(plain));
    expect(response.status).toBe(200);
    expect(await textOf(response)).toBe('by proxy');
    expect(proxy.heads[0]).toContain(`GET ${plain.href} HTTP/1.1`);
    expect(proxy.heads[0]?.toLowerCase()).toContain('host: service.test');
    expect(proxy.heads[0]?.toLowerCase()).toContain('accept-encoding: identity');
  });

  it('reports a connection that drops before the answer, and an answer that is not HTTP', async () => {
    for (const [answer, reason] of [
      [undefined, 'reset'],
      ['SSH-2.0\r\n', 'protocol'],
    ] as const) {
      const proxy = await proxyServer((_head, socket) =>
        answer === undefined ? socket.destroy() : socket.end(answer),
      );
      const failure = await rejection(through(proxy.address)(getting(plain)));
      expect(failure).toMatchObject({ reason, sent: true });
    }
  });
});
