/** One attempt, with node:http, which takes less time to load than undici (pool.ts). */
import type { Socket } from 'node:net';
import { connect } from './connect.js';
import { askedOfProxy, proxyFor, type ProxyEnv } from './proxy.js';
import { AttemptFailed, type HttpResponse, type Transport } from './types.js';

export function createTransport({ env }: { env: ProxyEnv }): Transport {
  const routes = new Map<string | undefined, Transport>();
  return async (request) => {
    const proxy = proxyFor(request.url, env);
    const route = routes.get(proxy?.href) ?? createRoute(proxy);
    routes.set(proxy?.href, route);
    return route(request);
  };
}

/** Connects directly or through a proxy; connections are kept for later reads. */
export function createRoute(proxy?: URL): Transport {
  const idle = new IdleConnections();
  let isCautious = false;
  return async (request) => {
    const { body, method, signal, timeouts, url } = request;
    const connecting = { timeoutMs: timeouts.connectMs, signal, proxy };
    // The socket of a proxy's tunnel reads in its own way.
    if (request.isBulk && !proxy) {
      // Loaded here, because short calls do not need it.
      const { BulkBody } = await import('./bulk.js');
      const bulk = new BulkBody();
      const socket = await connect(url, { ...connecting, onread: bulk.onread });
      bulk.socket = socket;
      const { exchange } = await import('./exchange.js');
      return exchange(request, { socket, bulk, release: () => socket.destroy() });
    }
    const viaProxy = askedOfProxy(url, proxy);
    const over = async (socket: Socket): Promise<HttpResponse> => {
      const { exchange } = await import('./exchange.js');
      return exchange(request, {
        ...viaProxy,
        socket,
        release: () => idle.put(url.origin, socket),
      });
    };
    // A used connection may be closed at any moment: only a read can be repeated.
    const isRead = body === undefined && (method === 'GET' || method === 'HEAD');
    const isWarm = request.isFrequent === true && !isCautious;
    const used = isRead || isWarm ? idle.take(url.origin, isRead ? Infinity : warmMs) : undefined;
    if (used) {
      try {
        return await over(used);
      } catch (error) {
        if (!(error instanceof AttemptFailed && error.reason === 'reset')) throw error;
        // This service ends connections sooner than others.
        isCautious = true;
        if (!isRead) throw error;
      }
    }
    const connected = connect(url, connecting);
    // Loaded while it connects: node:http takes 5 ms.
    void import('./exchange.js');
    return over(await connected);
  };
}

/** Servers keep an unused connection for longer (gunicorn 2 s, Node 5 s). */
const warmMs = 1500;

/** Any of these ends an idle connection: unrequested bytes belong to no answer. */
const endings = ['data', 'end', 'close', 'error', 'timeout'] as const;

interface Idle {
  readonly origin: string;
  readonly sinceMs: number;
  readonly wake: () => void;
}

class IdleConnections {
  readonly #idle = new Map<Socket, Idle>();

  put(origin: string, socket: Socket): void {
    if (socket.destroyed || !socket.writable || this.#idle.size >= 16) {
      socket.destroy();
      return;
    }
    const wake = () => {
      this.#idle.delete(socket);
      for (const event of endings) socket.off(event, end);
      socket.setTimeout(0);
    };
    const end = () => {
      wake();
      socket.destroy();
    };
    for (const event of endings) socket.on(event, end);
    socket.setTimeout(4000).unref();
    this.#idle.set(socket, { origin, sinceMs: performance.now(), wake });
  }

  /** The one that was used last, if that is no longer ago. */
  take(origin: string, maxAgeMs: number): Socket | undefined {
    const [socket, rest] = [...this.#idle].findLast(([, one]) => one.origin === origin) ?? [];
    if (rest && performance.now() - rest.sinceMs > maxAgeMs) return undefined;
    rest?.wake();
    return socket?.ref();
  }
}
