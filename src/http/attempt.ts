/** One attempt on the wire, by the way that suits it. */
import { createDirect } from './direct.js';
import { proxyFor, type ProxyEnv } from './proxy.js';
import type { Transport } from './types.js';

/**
 * The transport of this process.
 * @param env where HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are read.
 */
export function createTransport({ env }: { env: ProxyEnv }): Transport {
  const direct = createDirect();
  const proxied = new Map<string, Promise<Transport>>();
  return async (request) => {
    const proxy = proxyFor(request.url, env);
    // Node's own http serves the direct way, not undici: loading undici costs about 100 ms on
    // Node 20 (it compiles its parser at start), several times what a short call takes. Behind a
    // proxy undici is worth it, for it knows CONNECT, TLS to the proxy and TLS within it.
    if (!proxy) return direct(request);
    const known = proxied.get(proxy.href) ?? loadProxied(proxy);
    proxied.set(proxy.href, known);
    return (await known)(request);
  };
}

async function loadProxied(proxy: URL): Promise<Transport> {
  const { createProxied } = await import('./proxied.js');
  return createProxied(proxy);
}
