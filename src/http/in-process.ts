/** A transport without a network: hands requests to a `fetch(Request)` in this process. */
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import { Incoming } from './incoming.js';
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
      return responseFrom(await fetch(requestFrom(request, abort.signal)), request, done);
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
function responseFrom(
  response: Response,
  { url, signal }: HttpRequest,
  done: () => void,
): HttpResponse {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  async function* pieces(): AsyncIterable<Buffer> {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      const { buffer, byteOffset, byteLength } = next.value;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
    done();
  }
  const body = new Incoming({
    host: url.host,
    idleMs: 0,
    signal,
    pieces: pieces(),
    destroy: () => {
      done();
      reader?.cancel().catch(() => undefined);
    },
    broken: (error) => new BodyCut('reset', 'the embedded service broke the answer off', error),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    pipe: (sink) => body.pipe(sink),
    discard: () => body.discard(),
  };
}
