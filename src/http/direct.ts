/** Requests straight to the service, over node:http. */
import { connect } from './connect.js';
import { exchange } from './exchange.js';
import { IdleConnections } from './idle-connections.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Transport } from './types.js';

/**
 * A transport that reaches hosts directly. A connection that has brought its answer is kept for
 * the reads that follow in this process (polls, a balance after a chat); none keeps it alive.
 */
export function createDirect(): Transport {
  const idle = new IdleConnections();
  return async (request) => {
    const used = canReuse(request) ? idle.take(request.url.origin) : undefined;
    const answer = used && (await overUsed(used));
    if (answer) return answer;
    const { url, signal, timeouts } = request;
    return over(await connect(url, { timeoutMs: timeouts.connectMs, signal }));

    function over(socket: Parameters<typeof exchange>[1]): Promise<HttpResponse> {
      return exchange(request, socket, (free) => {
        idle.put(request.url.origin, free);
      });
    }

    /** Nothing, when the line had been closed in the meantime. */
    async function overUsed(socket: Parameters<typeof exchange>[1]) {
      try {
        return await over(socket);
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
