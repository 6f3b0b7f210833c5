import { describe, expect, it } from 'vitest';
import { createTransport } from '../../src/http/attempt.js';
import { authorityFile } from './certificate.js';
import { proxyServer, secureService, tunnelTo } from './proxies.js';
import { getting, patient, rejection, textOf, whole } from './rig.js';
import { runChild } from './run-child.js';

/** Behind any proxy, for it is not loopback. */
const plain = new URL('http://service.test/v1/models?all=true');
const secure = new URL('https://service.test/v1/models?all=true');

const trusting = { NODE_EXTRA_CA_CERTS: authorityFile };

describe('https through a proxy', () => {
  it('passes a tunnel that shows the proxy the host alone', async () => {
    const service = await secureService();
    const proxy = await proxyServer(tunnelTo(service.port));
    const env = { ...trusting, HTTPS_PROXY: proxy.address };
    const { results } = await runChild(env, secure.href);
    expect(results).toEqual([{ status: 200, text: 'from the service' }]);
    expect(service.received).toEqual(['GET /v1/models?all=true']);
    expect(proxy.heads[0]).toContain('CONNECT service.test:443 HTTP/1.1');
    expect(proxy.seen()).not.toContain('/v1/models');
    expect(proxy.seen()).not.toContain('for the service alone');
  });

  it('sends the proxy the name and password in its address', async () => {
    const service = await secureService();
    const proxy = await proxyServer(tunnelTo(service.port));
    const env = { ...trusting, HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}` };
    await runChild(env, secure.href);
    const credentials = Buffer.from('me:p@ss').toString('base64');
    expect(proxy.heads[0]?.toLowerCase()).toContain('proxy-authorization: basic');
    expect(proxy.heads[0]).toContain(credentials);
  });

  it('checks the certificate of the service behind the proxy', async () => {
    const service = await secureService();
    const proxy = await proxyServer(tunnelTo(service.port));
    const wary = await runChild({ HTTPS_PROXY: proxy.address }, secure.href);
    expect(wary.results[0]).toMatchObject({ reason: 'tls', sent: false });
    const other = await runChild(
      { ...trusting, HTTPS_PROXY: proxy.address },
      'https://other.test/',
    );
    expect(other.results[0]).toMatchObject({ reason: 'tls', sent: false });
    expect(service.received).toEqual([]);
  });

  it('is not used where NO_PROXY names the host, and on loopback', async () => {
    const service = await secureService();
    const proxy = await proxyServer(tunnelTo(service.port));
    const env = { ...trusting, ALL_PROXY: proxy.address };
    const { results } = await runChild(env, `https://localhost:${service.port}/`);
    expect(results[0]).toMatchObject({ status: 200 });
    const exempt = await runChild({ ...env, NO_PROXY: 'service.test' }, secure.href);
    // Only the proxy knows the host.
    expect(exempt.results[0]?.sent).toBe(false);
    expect(proxy.heads).toEqual([]);
  });
});

describe('a proxy in the way', () => {
  const refusals = [
    ['407 Proxy Authentication Required', 'proxy-login', 'requires a user name and password'],
    ['502 Bad Gateway', 'connect', 'refuses to connect (502)'],
  ] as const;
  for (const [status, reason, words] of refusals) {
    it(`is reported when it answers ${status}, and nothing was sent`, async () => {
      const proxy = await proxyServer((_head, socket) => socket.end(whole('', status)));
      const transport = createTransport({ env: { HTTPS_PROXY: proxy.address } });
      const failure = await rejection(transport(getting(secure)));
      expect(failure).toMatchObject({ reason, sent: false });
      expect(String(failure)).toContain(words);
      expect(String(failure)).toContain(`127.0.0.1:${proxy.port}`);
    });
  }

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
    const gone = await proxyServer((_head, socket) => socket.destroy());
    const failure = await rejection(through(gone.address)(getting(plain)));
    expect(failure).toMatchObject({ reason: 'reset', sent: true });
    const garbage = await proxyServer((_head, socket) => socket.end('SSH-2.0\r\n'));
    const other = await rejection(through(garbage.address)(getting(plain)));
    expect(other).toMatchObject({ reason: 'protocol', sent: true });
  });
});
