import { describe, expect, it } from 'vitest';
import { authorityFile } from './certificate.js';
import { secureService } from './proxies.js';
import { answering, onHead, peer, whole } from './rig.js';
import { runChild } from './run-child.js';

describe('a process that calls the service', () => {
  it('loads neither TLS nor a proxy client for plain http', async () => {
    const { url } = await peer(answering(whole('hello')));
    const { results, loaded } = await runChild({}, url.href);
    expect(results).toEqual([{ status: 200, text: 'hello' }]);
    expect(loaded).toContain('NativeModule http');
    for (const costly of ['https', 'tls', 'http2', 'internal/deps/undici/undici']) {
      expect(loaded).not.toContain(`NativeModule ${costly}`);
    }
  });

  it('ends when its work is done, although the service keeps the connection open', async () => {
    const { url } = await peer((socket) => onHead(socket, () => socket.write(whole('hello'))));
    const before = performance.now();
    const { results } = await runChild({}, url.href, url.href);
    expect(results).toHaveLength(2);
    // An idle connection is closed after four seconds.
    expect(performance.now() - before).toBeLessThan(3500);
  });

  it('trusts the authorities that NODE_EXTRA_CA_CERTS adds, and no others', async () => {
    const { port } = await secureService();
    const requests = ['localhost', '127.0.0.1'].map((host) => `https://${host}:${port}/`);
    const trusting = await runChild({ NODE_EXTRA_CA_CERTS: authorityFile }, ...requests);
    expect(trusting.results).toEqual(Array(2).fill({ status: 200, text: 'from the service' }));
    const wary = await runChild({}, ...requests);
    expect(wary.results).toMatchObject(Array(2).fill({ reason: 'tls', sent: false }));
    expect(wary.results[0]?.message).toContain('not trusted');
  });
});
