/** One request and its answer over an open connection, in HTTP/1.1. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { durationWords } from '../lib/duration.js';
import type { BulkBody } from './bulk.js';
import { limit, noTimer } from './deadline.js';
import { firstCodeOf, exchangeFailure } from './failure.js';
import { Incoming } from './incoming.js';
import { pieceBytes, slices, AttemptFailed, BodyCut } from './types.js';
import type { FailureReason, HttpRequest, HttpResponse } from './types.js';

export interface Connection {
  readonly socket: Socket;
  readonly bulk?: BulkBody;
  readonly release: () => void;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Resolves at the head of the answer. @throws AttemptFailed with `sent` true. */
export function exchange(request: HttpRequest, connection: Connection): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { body, url, signal, timeouts } = request;
    const { socket } = connection;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
    const wire = http.request({
      createConnection: () => socket,
      method: request.method,
      path: connection.path ?? url.pathname + url.search,
      headers: {
        host: url.host,
        connection: 'keep-alive',
        // Nothing here decompresses, and a streamed answer gains nothing by it.
        'accept-encoding': 'identity',
        ...request.headers,
        ...(length === undefined ? {} : { 'content-length': String(length) }),
        ...connection.headers,
      },
      joinDuplicateHeaders: true,
    });

    let isOver = false;
    let stopTimer = noTimer;
    let stopSending = noTimer;
    const end = () => {
      isOver = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: AttemptFailed) => {
      if (isOver) return;
      end();
      stopSending();
      wire.destroy();
      reject(failure);
    };
    const failWith: Fail = (reason, words, cause) => {
      // During an answer, giving up the connection is what ends it.
      if (isOver) wire.destroy();
      fail(new AttemptFailed(reason, true, `${url.host}: ${words}`, cause));
    };
    const onAbort = () => fail(new AttemptFailed('aborted', true, 'aborted', signal?.reason));

    wire.on('error', (error) => fail(exchangeFailure(url, error)));
    wire.once('close', () => fail(exchangeFailure(url, undefined)));
    wire.once('finish', () => {
      if (isOver) return;
      stopTimer = limit(timeouts.firstByteMs, () => {
        failWith('first-byte-timeout', `no answer within ${durationWords(timeouts.firstByteMs)}`);
      });
    });
    wire.once('response', (answer) => {
      end();
      // Answers other than a refusal may start while the body is still being read.
      if ((answer.statusCode ?? 0) >= 300) stopSending();
      resolve(responseFrom(request, connection, wire, answer));
    });
    socket.once('free', connection.release);
    signal?.addEventListener('abort', onAbort, { once: true });

    if (signal?.aborted) onAbort();
    else if (length === undefined || body === undefined) wire.end();
    else if (typeof body === 'object' && 'open' in body) {
      stopSending = sendPieces(wire, length, body.open(), timeouts.idleMs, failWith);
    } else if (length <= pieceBytes) wire.end(body);
    else {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      stopSending = sendPieces(wire, length, slices(bytes), timeouts.idleMs, failWith);
    }
  });
}

type Fail = (reason: FailureReason, words: string, cause?: unknown) => void;

/** The most overhead of a body in all; Node limits it only per chunk, to 16 KiB. */
const maxFramingMiB = 4;
/** The most overhead of a single byte without extensions, TLS included. */
const byteFramingBytes = 64;

function responseFrom(
  { url: { host }, signal, timeouts: { idleMs } }: HttpRequest,
  { bulk }: Connection,
  wire: ClientRequest,
  answer: IncomingMessage,
): HttpResponse {
  const { headers, socket } = answer;
  const isFramed =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const cut = (reason: FailureReason, words: string, cause?: unknown) =>
    new BodyCut(reason, `${host}: ${words}`, cause);

  const readBefore = socket.bytesRead;
  const body = new Incoming({
    host,
    idleMs,
    signal,
    pieces: answer,
    bulk: bulk?.hold(answer) ? bulk : undefined,
    destroy: () => wire.destroy(),
    flood: (bytes) => {
      const framing = socket.bytesRead - readBefore - bytes * (1 + byteFramingBytes);
      if (framing <= maxFramingMiB * 1024 * 1024) return undefined;
      return cut('truncated', `it has more than ${maxFramingMiB} MiB of chunk extensions`);
    },
    ended: (error) => {
      // Without a length, Node considers a body complete even if the connection broke.
      if (error === undefined && (isFramed || dropped === undefined)) return undefined;
      if (garbled !== undefined) return cut('truncated', 'the answer is malformed', garbled);
      if (dropped === undefined) return cut('truncated', 'the answer ended early', error);
      return cut('reset', 'the connection dropped during the answer', dropped);
    },
  });
  let garbled: unknown;
  let dropped: unknown;
  wire.on('error', (error) => {
    if (firstCodeOf(error).startsWith('HPE_')) garbled = error;
  });
  const onDropped = (error: unknown) => void (dropped = error);
  socket.once('error', onDropped);
  answer.on('error', () => undefined);
  answer.once('end', () => {
    socket.off('error', onDropped);
    // The service did not need the rest of the request: the connection cannot be reused.
    if (!wire.writableFinished) wire.destroy();
  });
  return {
    status: answer.statusCode ?? 0,
    // Repeated ones are already joined with a comma, except cookies.
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    endsWithConnection: !isFramed,
    pipe: (sink, memory) => body.pipe(sink, memory),
    discard: () => body.discard(),
  };
}

/** Writes a body and ends the request, piece by piece. @returns a function that stops it. */
function sendPieces(
  wire: ClientRequest,
  length: number,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  stallMs: number,
  fail: Fail,
): () => void {
  let isStopped = false;
  let wake = noTimer;
  const write = (piece: Uint8Array) =>
    new Promise<void>((resolve) => {
      const stopTimer = limit(stallMs, () => {
        fail('first-byte-timeout', `it accepted no data for ${durationWords(stallMs)}`);
      });
      wake = () => {
        stopTimer();
        resolve();
      };
      wire.write(piece, wake);
    });
  const send = async () => {
    let sent = 0;
    for await (const piece of pieces) {
      sent += piece.length;
      if (sent > length) break;
      await write(piece);
      if (isStopped) return;
    }
    if (sent === length) wire.end();
    else fail('body', 'the request body changed its length while it was read');
  };
  send().catch((cause: unknown) => {
    if (!isStopped) fail('body', 'the request body could not be read', cause);
  });
  return () => {
    isStopped = true;
    wake();
  };
}
