/** A transport without a network: hands requests to a `fetch(Request)` in this process. */
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import {
  AttemptFailed,
  BodyCut,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './types.js';

/** @param fetch answers a request as a server would; its rejection is a line that dropped. */
export function inProcessTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return async (request) => {
    const abort = new AbortController();
    const stop = () => {
      abort.abort(request.signal?.reason);
    };
    if (request.signal?.aborted) throw new AttemptFailed('aborted', false, 'aborted');
    request.signal?.addEventListener('abort', stop, { once: true });
    try {
      return responseFrom(await fetch(await requestFrom(request, abort.signal)), abort);
    } catch (cause) {
      throw abort.signal.aborted
        ? new AttemptFailed('aborted', true, 'aborted', cause)
        : new AttemptFailed('reset', true, 'the embedded service dropped the call', cause);
    }
  };
}

async function requestFrom(request: HttpRequest, signal: AbortSignal): Promise<Request> {
  const { body } = request;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  return new Request(request.url, {
    method: request.method,
    headers: { ...request.headers },
    body: body === undefined ? null : isWhole ? body : await collect(body.open()),
    signal,
  });
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(piece);
  return Buffer.concat(collected);
}

function responseFrom(response: Response, abort: AbortController): HttpResponse {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    pour: async (sink) => {
      if (!reader) return;
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw abort.signal.aborted
            ? new BodyCut('aborted', 'aborted', cause)
            : new BodyCut('reset', 'the embedded service broke the answer off', cause);
        });
        if (done) return;
        await sink(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      }
    },
    discard: () => {
      reader?.cancel().catch(() => undefined);
    },
  };
}
