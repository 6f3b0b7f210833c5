/**
 * A transport for many requests to one service: it keeps connections, and undici takes less time
 * for a request than node:http.
 */
import v8 from 'node:v8';
import type { Dispatcher } from 'undici';
import { durationWords } from '../lib/duration.js';
import { codeOf } from '../lib/error-code.js';
import { createTransport } from './attempt.js';
import { connect } from './connect.js';
import { noTimer } from './deadline.js';
import { connectFailure, exchangeFailure } from './failure.js';
import { askedOfProxy, proxyFor, type ProxyEnv } from './proxy.js';
import { AttemptFailed, BodyCut, pieceBytes } from './types.js';
import type { HttpRequest, HttpResponse, ResponseHead, Transport } from './types.js';

/**
 * How long an unused connection is kept: less than servers do (gunicorn 2 s, Node 5 s), because a
 * request that meets the end of its connection may have been charged.
 */
const unusedMs = 1500;
/** How many connections end with their request after a kept one has ended like that. */
const cautiousRequests = 10_000;
/** More than an answer has. */
const maxAnswerBytes = 64 * 1024 * 1024;

export async function createPoolTransport(options: {
  readonly env: ProxyEnv;
  readonly baseUrl: URL;
  /** The most connections at once. */
  readonly connections: number;
}) {
  const { env, baseUrl, connections } = options;
  // Otherwise V8 of Node 20 optimises undici's parser before its first use: 500 posts take 1.1 of
  // the processor time, and 20,000 as much as with it (`npm run bench`).
  v8.setFlagsFromString('--liftoff-only');
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
  const ordinary = createTransport({ env });
  const proxy = proxyFor(baseUrl, env);
  let timeoutMs = 0;
  const pool = new Pool(baseUrl.origin, {
    connections,
    keepAliveTimeout: unusedMs,
    keepAliveMaxTimeout: unusedMs,
    keepAliveTimeoutThreshold: 1000,
    maxResponseSize: maxAnswerBytes,
    connect: (_, done) => {
      connect(baseUrl, { timeoutMs, proxy }).then(
        (socket) => done(null, socket),
        (failure: unknown) => done(connectFailure(baseUrl, failure), null),
      );
    },
  });
  let cautiousLeft = 0;
  /** Of the headers that many requests share: they are completed once. */
  const heads = new WeakMap<HttpRequest['headers'], ReturnType<typeof headOf>>();
  const headOf = ({ url, headers }: HttpRequest) => {
    const { path = url.pathname + url.search, headers: extra } = askedOfProxy(url, proxy);
    return { url, path, headers: { 'accept-encoding': 'identity', ...headers, ...extra } };
  };
  /** Resolves at the end of an answer. Large requests, and those with a signal, are not pooled. */
  const transport: Transport = async (request) => {
    const { body = '', method, url, signal, isBulk, timeouts } = request;
    const isStreamed = typeof body === 'object' && 'open' in body;
    const isSpecial = isBulk === true || signal !== undefined;
    if (isStreamed || body.length > pieceBytes || isSpecial) return ordinary(request);
    let head = heads.get(request.headers);
    if (head?.url !== url) {
      if (url.origin !== baseUrl.origin) return ordinary(request);
      head = headOf(request);
      heads.set(request.headers, head);
    }
    timeoutMs = timeouts.connectMs;
    const { path, headers } = head;
    const limits = { headersTimeout: timeouts.firstByteMs, bodyTimeout: timeouts.idleMs };
    const sent = { method, path, headers, body, reset: cautiousLeft > 0, ...limits };
    cautiousLeft -= 1;
    return exchange(pool, sent, request, (failure) => {
      if (failure.reason === 'reset') cautiousLeft = cautiousRequests;
    });
  };
  /** Ends all connections, also those that wait for an answer. */
  const close = () => pool.destroy();
  return { transport, close };
}

function exchange(
  pool: Dispatcher,
  sent: Dispatcher.DispatchOptions,
  { url, timeouts }: HttpRequest,
  onFailure: (failure: AttemptFailed) => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    let head: ResponseHead | undefined;
    const pieces: Buffer[] = [];
    const pipe: HttpResponse['pipe'] = async (sink) => {
      for (const piece of pieces) await sink(piece);
    };
    const failure = (error: Error): AttemptFailed => {
      const code = codeOf(error);
      if (!isSent) return connectFailure(url, error);
      if (code === 'UND_ERR_HEADERS_TIMEOUT') {
        const words = `${url.host}: no answer within ${durationWords(timeouts.firstByteMs)}`;
        return new AttemptFailed('first-byte-timeout', true, words, error);
      }
      if (!head) return exchangeFailure(url, error);
      if (code !== 'UND_ERR_BODY_TIMEOUT') {
        return new BodyCut('truncated', `${url.host}: the answer ended early`, error);
      }
      const words = `no data for ${durationWords(timeouts.idleMs)} during the answer`;
      return new BodyCut('idle-timeout', `${url.host}: ${words}`, error);
    };
    pool.dispatch(sent, {
      onRequestStart: () => void (isSent = true),
      onResponseStart: (_, status, fields) => {
        if (status < 200) return;
        const headers: Record<string, string> = {};
        for (const [name, value] of Object.entries(fields))
          headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
        head = { status, headers };
      },
      onResponseData: (_, piece) => void pieces.push(piece),
      onResponseEnd: () => {
        if (head) resolve({ status: head.status, headers: head.headers, pipe, discard: noTimer });
      },
      onResponseError: (_, error) => {
        const failed = failure(error);
        onFailure(failed);
        reject(failed);
      },
    });
  });
}
