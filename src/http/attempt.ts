/** One attempt on the wire, by the way that suits it. */
import { proxyFor, type ProxyEnv } from './proxy.js';
import { createRoute } from './route.js';
import type { Transport } from './types.js';

/**
 * The transport of this process.
 *
 * Node's own http serves it, not undici. A short call is over in less time than undici takes to
 * load on Node 20 (about 100 ms: its parser is compiled at start). And behind a proxy undici 7,
 * the last that runs there, asks without end or pause when the proxy hangs up on CONNECT
 * (nodejs/undici#3897), and calls a whole answer cut off when its reader is busy as the line closes.
 * @param env where HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are read.
 */
export function createTransport({ env }: { env: ProxyEnv }): Transport {
  const direct = createRoute();
  const proxied = new Map<string, Transport>();
  return async (request) => {
    const proxy = proxyFor(request.url, env);
    if (!proxy) return direct(request);
    const route = proxied.get(proxy.href) ?? createRoute(proxy);
    proxied.set(proxy.href, route);
    return route(request);
  };
}
