/**
 * One attempt on the wire, directly or through a proxy.
 *
 * Node's own http serves it, not undici. A short call is over in less time than undici takes to
 * load on Node 20 (about 100 ms: its parser is compiled at start). And behind a proxy undici 7,
 * the last that runs there, asks without end or pause when the proxy hangs up on CONNECT
 * (nodejs/undici#3897), and calls a whole answer cut off when its reader is busy as the line closes.
 */
import type { Socket } from 'node:net';
import { connect } from './connect.js';
import { exchange } from './exchange.js';
import { proxyFor, proxyHeaders, type ProxyEnv } from './proxy.js';
import { AttemptFailed, type HttpResponse, type Transport } from './types.js';

/**
 * The transport of this process.
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

/**
 * A transport that reaches services directly, or all of them through one proxy. A connection that
 * has brought its answer is kept for the reads that follow in this process (polls, a balance after
 * a chat); none keeps it alive.
 */
export function createRoute(proxy?: URL): Transport {
  const idle = new IdleConnections();
  return async (request) => {
    const { signal, timeouts, url } = request;
    const connecting = { timeoutMs: timeouts.connectMs, signal, proxy };
    // A proxy is asked for an http service by its whole URL.
    const asked =
      proxy && url.protocol === 'http:' ? { path: url.href, headers: proxyHeaders(proxy) } : {};
    const over = (socket: Socket): Promise<HttpResponse> =>
      exchange(request, { ...asked, socket, release: () => idle.put(url.origin, socket) });
    // A proxy's tunnel comes as a socket that reads in its own way.
    if (request.isBulk && !proxy) {
      // Loaded here, for short calls have no use for it.
      const { openBulk } = await import('./bulk.js');
      const bulk = await openBulk(url, connecting);
      const { socket } = bulk;
      return exchange(request, { socket, bulk, release: () => socket.destroy() });
    }
    // A used connection may be closed by the other side just as it is taken. A read is then sent
    // again over a new one; of anything else nobody could say whether it was carried out.
    const { method, body } = request;
    const isRead = body === undefined && (method === 'GET' || method === 'HEAD');
    const used = isRead ? idle.take(url.origin) : undefined;
    if (used) {
      try {
        return await over(used);
      } catch (error) {
        if (!(error instanceof AttemptFailed && error.reason === 'reset')) throw error;
      }
    }
    return over(await connect(url, connecting));
  };
}

/** Servers close idle connections after five seconds or more: svc is done with them before. */
const restMs = 4000;
const maxPerOrigin = 8;

/** Any of these ends a rest: bytes that nobody asked for belong to no answer. */
const endings = ['data', 'end', 'close', 'error', 'timeout'] as const;

/** Connections that have brought one answer and may bring another, by origin. */
class IdleConnections {
  readonly #byOrigin = new Map<string, Map<Socket, () => void>>();

  put(origin: string, socket: Socket): void {
    const resting = this.#byOrigin.get(origin) ?? new Map<Socket, () => void>();
    this.#byOrigin.set(origin, resting);
    if (socket.destroyed || !socket.writable || resting.size >= maxPerOrigin) {
      socket.destroy();
      return;
    }
    const wake = () => {
      resting.delete(socket);
      for (const event of endings) socket.off(event, end);
      socket.setTimeout(0);
    };
    const end = () => {
      wake();
      // The error that may follow is nobody's any more.
      socket.on('error', () => undefined).destroy();
    };
    for (const event of endings) socket.on(event, end);
    socket.setTimeout(restMs);
    socket.unref();
    resting.set(socket, wake);
  }

  /** The connection that has rested the shortest, ready for use. */
  take(origin: string): Socket | undefined {
    const latest = [...(this.#byOrigin.get(origin) ?? [])].at(-1);
    if (!latest) return undefined;
    const [socket, wake] = latest;
    wake();
    socket.ref();
    return socket;
  }
}
