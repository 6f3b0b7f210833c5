/** A transport without a network: passes requests to a service in this process. */
import { Incoming } from './incoming.js';
import { AttemptFailed, BodyCut, piecesOf } from './types.js';
import type { HttpRequest, HttpResponse, Transport } from './types.js';

/** What a service needs of a request; the classes of the web would add 40 ms to a start. */
interface ServiceRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly signal: AbortSignal;
}

interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array> | null;
}

/** @param answer answers like a server; its rejection is a dropped connection. */
export function inProcessTransport(
  answer: (request: ServiceRequest) => Promise<ServiceAnswer>,
): Transport {
  return async (request) => {
    const { signal } = request;
    if (signal?.aborted) throw new AttemptFailed('aborted', false, 'aborted');
    // The service may listen to it after the call has ended.
    const own = AbortSignal.any(signal ? [signal] : []);
    try {
      const headers = new Map(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const answered = await answer({
        method: request.method,
        url: request.url.href,
        headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
        body: request.body === undefined ? null : copiesOf(request.body),
        signal: own,
      });
      // What the service says of a request that was given up leaves open whether it was carried out.
      own.throwIfAborted();
      return responseFrom(answered, request);
    } catch (cause) {
      throw own.aborted
        ? new AttemptFailed('aborted', true, 'aborted', cause)
        : new AttemptFailed('reset', true, 'the embedded service dropped the request', cause);
    }
  };
}

/** A source may reuse the memory of a piece. */
async function* copiesOf(body: NonNullable<HttpRequest['body']>): AsyncIterable<Uint8Array> {
  for await (const piece of piecesOf(body)) yield Uint8Array.from(piece);
}

function responseFrom(answer: ServiceAnswer, { url, signal }: HttpRequest): HttpResponse {
  const { headers, status } = answer;
  const bytes = typeof answer.body === 'string' ? [Buffer.from(answer.body)] : (answer.body ?? []);
  const source = Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes.values();
  async function* pieces(): AsyncIterable<Buffer> {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      const { buffer, byteOffset, byteLength } = next.value;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  }
  const body = new Incoming({
    host: url.host,
    idleMs: 0,
    signal,
    pieces: pieces(),
    destroy: () => void Promise.resolve(source.return?.()).catch(() => undefined),
    ended: (error) =>
      error === undefined
        ? undefined
        : new BodyCut('reset', 'the embedded service cut off the answer', error),
  });
  return {
    status,
    headers: { ...headers },
    pipe: (sink) => body.pipe(sink),
    discard: () => body.discard(),
  };
}
