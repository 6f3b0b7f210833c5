/**
 * A transport for many requests to one service: it keeps connections, and undici takes less time
 * for a request than node:http.
 */
import type { Socket } from 'node:net';
import v8 from 'node:v8';
import type { Client, Dispatcher } from 'undici';
import { durationWords } from '../lib/duration.js';
import { createTransport } from './attempt.js';
import { connect } from './connect.js';
import { limit, noTimer } from './deadline.js';
import { responseOf } from './exchange.js';
import { connectFailure, exchangeFailure } from './failure.js';
import { proxyFor, proxyHeaders, type ProxyEnv } from './proxy.js';
import { AttemptFailed, pieceBytes } from './types.js';
import type { HttpRequest, HttpResponse, Transport } from './types.js';

export interface PoolTransport {
  readonly transport: Transport;
  /** Ends all connections, those with a request under way too. */
  readonly close: () => Promise<void>;
}

/** Has one connection at a time, for one request at a time. */
interface Line {
  readonly client: Client;
  socket?: Socket;
  /** Whether this socket has brought an answer. */
  isUsed: boolean;
}

/**
 * How long an unused connection is kept: less than servers do (gunicorn 2 s, Node 5 s), because a
 * request that meets the end of its connection may have been charged.
 */
const unusedMs = 1500;
/** How many requests get a new connection after a used one has ended like that. */
const cautiousRequests = 10_000;

export async function createPoolTransport(options: {
  readonly env: ProxyEnv;
  readonly baseUrl: URL;
  /** The most connections at once. */
  readonly connections: number;
}): Promise<PoolTransport> {
  const { env, baseUrl, connections } = options;
  // Otherwise V8 of Node 20 optimises undici's parser before its first use, which takes 70 ms.
  v8.setFlagsFromString('--liftoff-only');
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  const ordinary = createTransport({ env });
  const proxy = proxyFor(baseUrl, env);
  const lines: Line[] = [];
  const idle: Line[] = [];
  const waiting: ((line: Line) => void)[] = [];
  let timeoutMs = 0;
  let cautiousLeft = 0;

  const open = (): Line => {
    const client = new Client(baseUrl.origin, {
      // Its timers are checked every half second: ours end a request in time.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: unusedMs,
      keepAliveMaxTimeout: unusedMs,
      keepAliveTimeoutThreshold: 1000,
      connect: (_, done) => {
        connect(baseUrl, { timeoutMs, proxy }).then(
          (socket) => {
            Object.assign(line, { socket, isUsed: false });
            done(null, socket);
          },
          (failure: unknown) => done(connectFailure(baseUrl, failure), null),
        );
      },
    });
    const line: Line = { client, isUsed: false };
    lines.push(line);
    return line;
  };
  const release = (line: Line, isLost: boolean) => {
    if (isLost) cautiousLeft = cautiousRequests;
    const next = waiting.shift();
    if (next) next(line);
    else idle.push(line);
  };
  const transport: Transport = async (request) => {
    const { body = '', method, url } = request;
    const isStreamed = typeof body === 'object' && 'open' in body;
    if (isStreamed || body.length > pieceBytes || request.isBulk || url.origin !== baseUrl.origin)
      return ordinary(request);
    const line =
      idle.pop() ??
      (lines.length < connections ? open() : await new Promise<Line>((next) => waiting.push(next)));
    timeoutMs = request.timeouts.connectMs;
    if (cautiousLeft > 0) {
      cautiousLeft -= 1;
      if (line.isUsed) line.socket?.destroy();
    }
    // An http service behind a proxy is requested by its full URL.
    const isProxied = proxy && url.protocol === 'http:';
    const path = isProxied ? url.href : url.pathname + url.search;
    const extra = isProxied ? proxyHeaders(proxy) : {};
    const headers = { 'accept-encoding': 'identity', ...request.headers, ...extra };
    return exchange(request, { method, path, headers, body }, line, release);
  };
  const close = async () => {
    await Promise.all(lines.map(({ client }) => client.destroy()));
  };
  return { transport, close };
}

/** Bounds what waits for its reader: a piece has 64 KiB at most. */
const maxPieces = 8;

function exchange(
  request: HttpRequest,
  sent: Dispatcher.DispatchOptions,
  line: Line,
  release: (line: Line, isLost: boolean) => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal, timeouts, url } = request;
    let controller: Dispatcher.DispatchController | undefined;
    let isSettled = false;
    let end: Error | 'whole' | undefined;
    let wake = noTimer;
    let stopTimer = noTimer;
    const pieces: Buffer[] = [];
    const settle = () => {
      isSettled = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: AttemptFailed) => {
      if (isSettled) return;
      settle();
      controller?.abort(failure);
      reject(failure);
    };
    const onAbort = () => {
      fail(new AttemptFailed('aborted', controller !== undefined, 'aborted', signal?.reason));
    };
    const arriving = async function* () {
      while (pieces.length > 0 || end === undefined) {
        const piece = pieces.shift();
        if (piece) {
          yield piece;
          continue;
        }
        const woken = new Promise<void>((resolve) => (wake = resolve));
        controller?.resume();
        await woken;
      }
      if (end !== 'whole') throw end;
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    line.client.dispatch(sent, {
      onRequestStart: (started) => {
        if (isSettled) {
          started.abort(new Error('aborted'));
          return;
        }
        controller = started;
        stopTimer = limit(timeouts.firstByteMs, () => {
          const words = `no answer within ${durationWords(timeouts.firstByteMs)}`;
          fail(new AttemptFailed('first-byte-timeout', true, `${url.host}: ${words}`));
        });
      },
      onResponseStart: (_, status, headers) => {
        const { socket } = line;
        if (status < 200 || !socket) return;
        settle();
        // By then, most bodies are there.
        queueMicrotask(() => {
          const source = {
            pieces: { [Symbol.asyncIterator]: arriving },
            whole: end === 'whole' ? pieces : undefined,
            destroy: () => controller?.abort(new Error('abandoned')),
          };
          resolve(responseOf(request, socket, status, headers, source));
        });
      },
      onResponseData: (_, piece) => {
        if (pieces.push(piece) >= maxPieces) controller?.pause();
        wake();
      },
      onResponseEnd: () => {
        end = 'whole';
        line.isUsed = true;
        wake();
        release(line, false);
      },
      onResponseError: (_, error) => {
        end = error;
        wake();
        const isSent = controller !== undefined;
        release(line, line.isUsed && isSent && !isSettled);
        fail(isSent ? exchangeFailure(url, error) : connectFailure(url, error));
      },
    });
  });
}
