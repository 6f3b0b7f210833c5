/** Puts the embedded service behind node:http, for this machine alone. */
import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../lib/loopback.js';
import type { ServiceRequest } from './body.js';
import { json, type Reply } from './call.js';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long the head of a request may take to arrive, in milliseconds. */
  readonly headTimeoutMs?: number;
  /** How long a whole request may take to arrive, in milliseconds. */
  readonly requestTimeoutMs?: number;
}

/** The service cannot listen there; the message says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export async function listen(
  service: { fetch(this: void, request: ServiceRequest): Promise<Reply> },
  options: ListenOptions,
) {
  const { host, port, headTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options;
  if (!isLoopback(urlHost(host))) {
    throw new ListenError(`${host} is not a loopback address: the service is for this machine`);
  }
  const names = new Set<string>();
  const server = createServer(
    {
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headTimeoutMs / 2),
    },
    (incoming, outgoing) => {
      const request = toRequest(names, incoming, outgoing);
      const reply = 'status' in request ? Promise.resolve(request) : service.fetch(request);
      reply.then((it) => send(it, incoming, outgoing)).catch(() => outgoing.destroy());
    },
  );
  server.maxConnections = mostConnections();
  const bound = await bind(server, host, port);
  // What the Host header may say: a page whose own name points at this machine sends another.
  for (const name of ['127.0.0.1', 'localhost', '[::1]', urlHost(bound.address)]) {
    names.add(`${name}:${bound.port}`);
    if (bound.port === 80) names.add(name);
  }
  return {
    /** Without a slash at its end. */
    url: `http://${urlHost(bound.address)}:${bound.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the process itself needs of its descriptors. */
const ownDescriptors = 32;
/** Where the system reports no limit: the smallest usual one. */
const usualLimit = 256;

/** So many that each may open a file; without a descriptor left, the process could not go on. */
function mostConnections(): number {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has it.
  }
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? usualLimit);
  return Math.max(1, Math.floor((limit - ownDescriptors) / 2));
}

function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `cannot listen on ${host}:${port}: ${error.message}`;
      reject(new ListenError(message, { cause: error }));
    });
    server.listen({ host, port }, () => {
      const bound = server.address();
      // What a name such as localhost leads to is only known now.
      if (bound && typeof bound !== 'string' && isLoopback(urlHost(bound.address))) resolve(bound);
      else {
        server.close();
        reject(new ListenError(`${host} does not lead to a loopback address`));
      }
    });
  });
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function refusal(status: number, message: string, code = 'misdirected_request'): Reply {
  return json({ error: { message, type: 'invalid_request_error', code, param: null } }, status);
}

/** Headers that say one thing: of two, each reader could believe another one. */
const single = /^(host|authorization|x-api-key|content-(length|type)|idempotency-key)$/;
const foreign = /^(connect|trace|track)$/i;

/** The request as the service takes it, or the refusal of one that cannot be relied on. */
function toRequest(
  hosts: ReadonlySet<string>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): ServiceRequest | Reply {
  const { method = 'GET', url: target = '/', headers, rawHeaders } = incoming;
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, i) => single.test(name) && names.includes(name, i + 1));
  if (twice !== undefined) {
    return refusal(400, `the request has the header ${twice} more than once`, 'repeated_header');
  }
  const { host = '' } = headers;
  if (!hosts.has(host.toLowerCase())) {
    return refusal(421, 'this is the embedded service: the Host header must name its own address');
  }
  // An absolute target names another origin than the one that was called.
  if (!target.startsWith('/')) return refusal(421, 'the request target must be a path');
  const url = `http://${host}${target}`;
  if (foreign.test(method) || !URL.canParse(url)) {
    return refusal(400, 'the request cannot be understood');
  }
  const hasBody = headers['content-length'] !== undefined || 'transfer-encoding' in headers;
  const isRead = hasBody && method !== 'GET' && method !== 'HEAD';
  return {
    method,
    url,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return typeof value === 'string' ? value : null;
      },
    },
    // Giving the body up leaves the connection open for the answer.
    body: isRead ? incoming.iterator({ destroyOnReturn: false }) : null,
    // Made for those who ask: it costs as much as reading the request.
    get signal() {
      const gone = new AbortController();
      if (outgoing.destroyed) gone.abort();
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) gone.abort();
      });
      return gone.signal;
    },
  };
}

/** How long to keep reading an unwanted body, so that its sender sees the answer. */
const lingerMs = 2000;

async function send(
  { status, headers, body }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const unread = !incoming.complete;
  if (unread) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (!unread && typeof body === 'string') {
    // At once, head and all: most answers are small.
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  if (typeof body === 'string') outgoing.write(body);
  else if (body) await write(body, outgoing);
  if (unread) {
    // Closing a connection with unread bytes on it resets it, and the answer may be lost with it.
    const over = firstOf(incoming, ['end', 'close', 'error'], lingerMs);
    incoming.resume();
    await over;
  }
  outgoing.end();
}

/** Writes each piece at once, waits while the reader is slow, and stops when it is gone. */
async function write(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  if (outgoing.destroyed) giveUp();
  outgoing.once('close', giveUp);
  for (;;) {
    const { done, value } = await reader.read().catch(async (error: unknown) => {
      // A body that breaks off takes the connection with it, but not what was written before.
      await written(outgoing);
      throw error;
    });
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await firstOf(outgoing, ['drain', 'close']);
  }
  outgoing.off('close', giveUp);
}

/** Resolves when everything written has left the process, or its reader is gone. */
function written(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    outgoing.write(new Uint8Array(), () => resolve());
  });
}

/** Resolves with the first of some events, or after some time. */
function firstOf(source: EventEmitter, names: readonly string[], ms?: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      for (const name of names) source.off(name, finish);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(finish, ms);
    for (const name of names) source.on(name, finish);
  });
}
