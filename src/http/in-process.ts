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
    // One signal may outlive many calls.
    const done = () => {
      request.signal?.removeEventListener('abort', stop);
    };
    try {
      return responseFrom(await fetch(requestFrom(request, abort.signal)), abort, done);
    } catch (cause) {
      done();
      throw abort.signal.aborted
        ? new AttemptFailed('aborted', true, 'aborted', cause)
        : new AttemptFailed('reset', true, 'the embedded service dropped the call', cause);
    }
  };
}

function requestFrom(request: HttpRequest, signal: AbortSignal): Request {
  const { body, method } = request;
  const isWhole = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  return new Request(request.url, {
    method,
    headers: { ...request.headers },
    ...(isWhole ? { body: body ?? null } : { body: streamOf(body.open()), duplex: 'half' }),
    signal,
  });
}

/** The pieces as they are wanted, each with memory of its own: a source may use its again. */
function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(Uint8Array.from(next.value));
      },
      cancel: async () => {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** @param done called when nothing more is wanted of the answer. */
function responseFrom(response: Response, abort: AbortController, done: () => void): HttpResponse {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    pipe: async (sink) => {
      // A stream knows nothing of the signal: it would go on to its end.
      const onAbort = () => {
        reader?.cancel().catch(() => undefined);
      };
      abort.signal.addEventListener('abort', onAbort, { once: true });
      if (abort.signal.aborted) onAbort();
      try {
        for (;;) {
          const next = await reader?.read().catch((cause: unknown) => {
            throw abort.signal.aborted
              ? new BodyCut('aborted', 'aborted', cause)
              : new BodyCut('reset', 'the embedded service broke the answer off', cause);
          });
          if (abort.signal.aborted) {
            throw new BodyCut('aborted', 'aborted', abort.signal.reason);
          }
          if (!next || next.done) return;
          const { value } = next;
          await sink(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
        }
      } finally {
        done();
      }
    },
    discard: () => {
      done();
      reader?.cancel().catch(() => undefined);
    },
  };
}
