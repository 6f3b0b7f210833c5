/** A transport without a network: passes requests to a `fetch(Request)` in this process. */
import { ReadableStream, type ReadableStreamDefaultReader } from 'node:stream/web';
import { Incoming } from './incoming.js';
import { AttemptFailed, BodyCut } from './types.js';
import type { HttpRequest, HttpResponse, Transport } from './types.js';

/** @param fetch answers like a server; its rejection is a dropped connection. */
export function inProcessTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return async (request) => {
    const { signal } = request;
    if (signal?.aborted) throw new AttemptFailed('aborted', false, 'aborted');
    // The service may listen to it after the call has ended.
    const own = AbortSignal.any(signal ? [signal] : []);
    try {
      return responseFrom(await fetch(requestFrom(request, own)), request);
    } catch (cause) {
      throw own.aborted
        ? new AttemptFailed('aborted', true, 'aborted', cause)
        : new AttemptFailed('reset', true, 'the embedded service dropped the request', cause);
    }
  };
}

function requestFrom({ body, headers, method, url }: HttpRequest, signal: AbortSignal): Request {
  const stream =
    typeof body === 'object' && 'open' in body
      ? { body: ReadableStream.from(copies(body.open())), duplex: 'half' as const }
      : { body: body ?? null };
  return new Request(url, { method, headers: { ...headers }, signal, ...stream });
}

/** A source may reuse the memory of a piece. */
async function* copies(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of source) yield Uint8Array.from(piece);
}

function responseFrom(response: Response, { url, signal }: HttpRequest): HttpResponse {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  async function* pieces(): AsyncIterable<Buffer> {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      const { buffer, byteOffset, byteLength } = next.value;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  }
  const body = new Incoming({
    host: url.host,
    idleMs: 0,
    signal,
    pieces: pieces(),
    destroy: () => void reader?.cancel().catch(() => undefined),
    ended: (error) =>
      error === undefined
        ? undefined
        : new BodyCut('reset', 'the embedded service cut off the answer', error),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    pipe: (sink) => body.pipe(sink),
    discard: () => body.discard(),
  };
}
