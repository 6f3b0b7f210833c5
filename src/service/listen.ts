/** Serves the embedded service, or the proxy, over node:http, on loopback only. */
import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../lib/address.js';
import type { ServiceRequest } from './body.js';
import { json, type Reply } from './call.js';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Time for the head of a request to arrive, in milliseconds. */
  readonly headTimeoutMs?: number;
  /** Time for a complete request to arrive, in milliseconds. */
  readonly requestTimeoutMs?: number;
  readonly watch?: (incoming: IncomingMessage) => Watcher;
}

/** Follows one request, for a log. */
export interface Watcher {
  readonly request?: (piece: Uint8Array) => void;
  readonly reply?: (piece: Uint8Array) => void;
  /** The connection has finished with the reply; `isSent` when all of it was sent. */
  readonly end: (reply: Reply, isSent: boolean) => void;
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
}

export async function listen(
  service: { answer(this: void, request: ServiceRequest): Promise<Reply> },
  options: ListenOptions,
) {
  const { host, port, headTimeoutMs = 10_000, requestTimeoutMs = 60_000 } = options;
  if (!isLoopback(urlHost(host))) {
    throw new ListenError(
      `${host} is not a loopback address: only connections from this machine are accepted`,
    );
  }
  const names = new Set<string>();
  const arrived: (() => void)[] = [];
  const server = createServer(
    {
      headersTimeout: headTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headTimeoutMs / 2),
    },
    (incoming, outgoing) => {
      const watcher = options.watch?.(incoming);
      const answer = async () => {
        const request = toRequest(names, incoming, outgoing, watcher);
        const reply = await ('status' in request ? request : service.answer(request));
        if (watcher) whenClosed(outgoing, () => watcher.end(reply, outgoing.writableFinished));
        await send(reply, incoming, outgoing, watcher);
      };
      const start = () => {
        arrived.push(() => void answer().catch(() => outgoing.destroy()));
        // By then a small body has arrived too, and other calls, whose debits are one write.
        if (arrived.length === 1) setImmediate(() => arrived.splice(0).forEach((start) => start()));
      };
      if (outgoing.socket) start();
      // Its turn comes after the answers before it: only then is it told that its sender is gone.
      else outgoing.once('socket', start);
    },
  );
  server.maxConnections = maxConnections();
  const bound = await bind(server, host, port);
  // Accepted Host headers: a web page whose own name resolves to this machine sends another.
  for (const name of ['127.0.0.1', 'localhost', '[::1]', urlHost(bound.address)]) {
    names.add(`${name}:${bound.port}`);
    if (bound.port === 80) names.add(name);
  }
  return {
    /** Without a trailing slash. */
    url: `http://${urlHost(bound.address)}:${bound.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ownDescriptors = 32;
/** The limit where the system reports none: the smallest usual one. */
const usualLimit = 256;

/** Few enough that each connection may open a file: a process without descriptors cannot continue. */
function maxConnections(): number {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has this file.
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
      // The address of a name such as localhost is only known now.
      if (bound && typeof bound !== 'string' && isLoopback(urlHost(bound.address))) resolve(bound);
      else {
        server.close();
        reject(new ListenError(`${host} does not resolve to a loopback address`));
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

/** Headers that must be unique: of two, each reader could use a different one. */
const single = /^(host|authorization|x-api-key|content-(length|type)|idempotency-key)$/;
const foreign = /^(connect|trace|track)$/i;

function repeatedHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  // Usually none is repeated.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return undefined;
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  return names.find((name, i) => single.test(name) && names.includes(name, i + 1));
}

/** The request in the form the service reads, or the refusal of an ambiguous one. */
function toRequest(
  hosts: ReadonlySet<string>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  watcher: Watcher | undefined,
): ServiceRequest | Reply {
  const { method = 'GET', url: target = '/', headers } = incoming;
  const twice = repeatedHeader(incoming);
  if (twice !== undefined) {
    return refusal(400, `the request has the header ${twice} more than once`, 'repeated_header');
  }
  const { host = '' } = headers;
  if (!hosts.has(host.toLowerCase())) {
    return refusal(421, 'the Host header must name the address that was called');
  }
  // An absolute target names a different origin from the one that was called.
  if (!target.startsWith('/')) return refusal(421, 'the request target must be a path');
  const url = `http://${host}${target}`;
  if (foreign.test(method)) return refusal(400, 'the request cannot be understood');
  const hasBody = headers['content-length'] !== undefined || 'transfer-encoding' in headers;
  const isRead = hasBody && method !== 'GET' && method !== 'HEAD';
  let body: ServiceRequest['body'] | undefined;
  return {
    method,
    url,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return typeof value === 'string' ? value : null;
      },
    },
    get body() {
      return (body ??= isRead ? bodyOf(incoming, watcher?.request) : null);
    },
    // Created on demand: it costs as much as reading the request.
    get signal() {
      const gone = new AbortController();
      whenClosed(outgoing, () => {
        if (!outgoing.writableFinished) gone.abort();
      });
      return gone.signal;
    },
  };
}

function whenClosed(outgoing: ServerResponse, act: () => void): void {
  if (outgoing.destroyed) act();
  else outgoing.once('close', act);
}

/** A small body has arrived with its head: an iterator would cost more than the rest of its call. */
function bodyOf(incoming: IncomingMessage, see: Watcher['request']): ServiceRequest['body'] {
  // Abandoning the body leaves the connection open for the answer.
  if (!incoming.complete) return watched(incoming.iterator({ destroyOnReturn: false }), see);
  const pieces: Uint8Array[] = [];
  // Of a body that arrived in several pieces, Node 26 gives one at a time.
  for (let piece: unknown; (piece = incoming.read()) instanceof Uint8Array;) pieces.push(piece);
  const body = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  see?.(body);
  return body;
}

function watched(pieces: AsyncIterableIterator<unknown>, see: Watcher['request']) {
  if (!see) return pieces;
  return (async function* () {
    for await (const piece of pieces) {
      if (piece instanceof Uint8Array) see(piece);
      yield piece;
    }
  })();
}

/** How long to keep reading an unwanted body so that its sender sees the answer. */
const lingerMs = 2000;

async function send(
  { status, headers, body }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  watcher: Watcher | undefined,
): Promise<void> {
  const unread = !incoming.complete;
  if (unread) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(status, headers);
  if (!unread && typeof body === 'string') {
    // Head and body in one write: most answers are small.
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  if (typeof body === 'string') outgoing.write(body);
  else if (body) await write(body, outgoing, watcher?.reply);
  if (unread) {
    // Closing a connection with unread bytes resets it, and the answer may be lost.
    const over = firstOf(incoming, ['end', 'close', 'error'], lingerMs);
    incoming.resume();
    await over;
  }
  outgoing.end();
}

/** Writes each piece immediately, waits for a slow reader, and stops when it is gone. */
async function write(
  body: AsyncIterable<Uint8Array>,
  outgoing: ServerResponse,
  see: Watcher['reply'],
): Promise<void> {
  const reader = body[Symbol.asyncIterator]();
  const giveUp = () => void reader.return?.().catch(() => undefined);
  whenClosed(outgoing, giveUp);
  for (;;) {
    const next = await reader.next().catch(async (error: unknown) => {
      // A truncated body closes the connection, but not before everything written has been sent.
      await written(outgoing);
      throw error;
    });
    if (next.done || outgoing.destroyed) break;
    see?.(next.value);
    if (!outgoing.write(next.value)) await firstOf(outgoing, ['drain', 'close']);
  }
  outgoing.off('close', giveUp);
}

/** Resolves when everything written has left the process or its reader is gone. */
function written(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    outgoing.write(new Uint8Array(), () => resolve());
  });
}

/** Resolves at the first of several events, or after some time. */
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
