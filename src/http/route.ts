/** Attempts by one way to the service, over node:http. */
import type { Socket } from 'node:net';
import { connect } from './connect.js';
import { exchange } from './exchange.js';
import { IdleConnections } from './idle-connections.js';
import { proxyHeaders } from './tunnel.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Transport } from './types.js';

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
    // A proxy's tunnel comes as a socket that reads in its own way.
    if (request.isBulk && !proxy) {
      // Loaded here, for short calls have no use for it.
      const { openBulkLine } = await import('./bulk.js');
      return exchange(request, await openBulkLine(url, connecting));
    }
    const used = canReuse(request) ? idle.take(url.origin) : undefined;
    const answer = used && (await overUsed(used));
    if (answer) return answer;
    return over(await connect(url, connecting));

    function over(socket: Socket): Promise<HttpResponse> {
      return exchange(request, {
        socket,
        release: () => {
          idle.put(url.origin, socket);
        },
        // A proxy is asked for an http service by its whole URL.
        ...(proxy && url.protocol === 'http:'
          ? { path: url.href, headers: proxyHeaders(proxy) }
          : {}),
      });
    }

    /** Nothing, when the line had been closed in the meantime. */
    async function overUsed(line: Socket): Promise<HttpResponse | undefined> {
      try {
        return await over(line);
      } catch (error) {
        if (error instanceof AttemptFailed && error.reason === 'reset') return undefined;
        throw error;
      }
    }
  };
}

/**
 * A used line may be closed by the other side just as it is taken. A read is then sent again over
 * a new one; of anything else nobody could say whether it was carried out, so it never rides one.
 */
function canReuse({ method, body }: HttpRequest): boolean {
  return body === undefined && (method === 'GET' || method === 'HEAD');
}
