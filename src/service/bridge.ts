/** Carries requests and responses between node:http and the service. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Service } from './service.js';

/** How long to go on reading a body that nobody wants, so that its sender sees the answer. */
const lingerMs = 2000;

/** @param hosts what the Host header may say */
export function bridge(service: Service, hosts: ReadonlySet<string>): RequestListener {
  return (incoming, outgoing) => {
    handle(service, hosts, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function handle(
  service: Service,
  hosts: ReadonlySet<string>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = headersRefused(hosts, incoming) ?? toRequest(incoming, gone.signal);
  const response = request instanceof Response ? request : await service.fetch(request);
  await send(response, incoming, outgoing);
}

/** Headers that say one thing: of two, each reader could believe another one. */
const single = /^(host|authorization|x-api-key|content-(length|type)|idempotency-key)$/;

/** The refusal of a request whose headers cannot be relied on. */
function headersRefused(
  hosts: ReadonlySet<string>,
  incoming: IncomingMessage,
): Response | undefined {
  const { headers, rawHeaders } = incoming;
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, i) => single.test(name) && names.includes(name, i + 1));
  if (twice !== undefined) {
    return refusal(400, `the request has the header ${twice} more than once`, 'repeated_header');
  }
  if (hosts.has((headers.host ?? '').toLowerCase())) return undefined;
  return refusal(421, 'this is the embedded service: the Host header must name its own address');
}

function refusal(status: number, message: string, code = 'misdirected_request'): Response {
  const type = 'invalid_request_error';
  const error = { message, type, code, param: null };
  return Response.json({ error }, { status });
}

/** The request as the service takes it, or the refusal of one that cannot be taken. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | Response {
  const { method = 'GET', url = '/', headers } = incoming;
  // An absolute target names another origin than the one that was called.
  if (!url.startsWith('/')) return refusal(421, 'the request target must be a path');
  const hasBody = headers['content-length'] !== undefined || 'transfer-encoding' in headers;
  const body = hasBody && method !== 'GET' && method !== 'HEAD' ? bodyOf(incoming) : undefined;
  try {
    // The Host header was checked; links to results begin with it.
    return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
      method,
      headers: headersOf(incoming),
      signal,
      ...(body ? { body, duplex: 'half' } : {}),
    });
  } catch {
    return refusal(400, 'the request cannot be understood');
  }
}

function headersOf({ headers }: IncomingMessage): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') copy.set(name, value);
  }
  return copy;
}

/** The body, read as fast as it is wanted. Giving it up leaves the line open for the answer. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next: IteratorResult<unknown> = await chunks.next();
        if (next.done) controller.close();
        else if (next.value instanceof Uint8Array) controller.enqueue(next.value);
      },
      async cancel() {
        // Else the rest could not be thrown away: it would wait for this reader.
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const unread = !incoming.complete;
  if (unread) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  await pour(response, outgoing);
  if (unread) await drain(incoming);
  outgoing.end();
}

/** Writes each piece at once, waits while the reader is slow, and stops when it is gone. */
async function pour(response: Response, outgoing: ServerResponse): Promise<void> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  if (!body) return;
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) giveUp();
  outgoing.once('close', giveUp);
  for (;;) {
    const { done, value } = await reader.read().catch(async (error: unknown) => {
      // A body that breaks off takes the line with it, but not what was written before.
      await written(outgoing);
      throw error;
    });
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await writable(outgoing);
  }
  outgoing.off('close', giveUp);
}

/** Resolves when all that was written has left the process, or nobody is left to read it. */
function written(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    outgoing.write(new Uint8Array(), () => resolve());
  });
}

/** Resolves when there is room again, or nobody left to write to. */
function writable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outgoing.off('drain', settle);
      outgoing.off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle);
    outgoing.on('close', settle);
  });
}

/**
 * Closing a line with unread bytes on it resets it, and the answer may be lost with it: reads
 * the rest of the request first, for a while.
 */
function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(settle, lingerMs);
    incoming.once('end', settle);
    incoming.once('close', settle);
    incoming.once('error', settle);
    incoming.resume();
  });
}
