/** One request and its answer over an open connection, in HTTP/1.1. */
import http from 'node:http';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { durationWords } from '../lib/duration.js';
import type { BulkBody } from './bulk.js';
import { limit, noTimer } from './deadline.js';
import { exchangeFailure, firstCodeOf, isGarbled } from './failure.js';
import { Incoming, type Source } from './incoming.js';
import { pieceBytes, slices, AttemptFailed, BodyCut } from './types.js';
import type { FailureReason, HttpRequest, HttpResponse, Sink } from './types.js';

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
  request: HttpRequest,
  { bulk }: Connection,
  wire: ClientRequest,
  answer: IncomingMessage,
): HttpResponse {
  let garbled: unknown;
  wire.on('error', (error) => {
    if (isGarbled(error)) garbled = error;
  });
  answer.on('error', () => undefined);
  answer.once('end', () => {
    // The service did not need the rest of the request: the connection cannot be reused.
    if (!wire.writableFinished) wire.destroy();
  });
  const { headers, socket, statusCode: status = 0 } = answer;
  return responseOf(request, socket, status, headers, {
    pieces: answer,
    bulk: bulk?.hold(answer) ? bulk : undefined,
    destroy: () => wire.destroy(),
    garbled: () => garbled,
  });
}

/**
 * @param source `whole`: all pieces, where they came with the head; `garbled`: the error of the
 *   parser, where the pieces do not end with it.
 */
export function responseOf(
  { url: { host }, signal, timeouts: { idleMs } }: HttpRequest,
  socket: Socket,
  status: number,
  headers: IncomingHttpHeaders,
  {
    whole,
    garbled,
    ...source
  }: Pick<Source, 'pieces' | 'bulk' | 'destroy'> & {
    whole?: readonly Buffer[];
    garbled?: () => unknown;
  },
): HttpResponse {
  const joined: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(headers)) {
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const isFramed =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const head = { status, headers: joined, endsWithConnection: !isFramed };
  if (whole && isFramed) {
    const pipe = async (sink: Sink) => {
      for (const piece of whole) await sink(piece);
    };
    return { ...head, pipe, discard: noTimer };
  }

  const cut = (reason: FailureReason, words: string, cause?: unknown) =>
    new BodyCut(reason, `${host}: ${words}`, cause);
  const readBefore = socket.bytesRead;
  const body = new Incoming({
    ...source,
    host,
    idleMs,
    signal,
    flood: (bytes) => {
      const framing = socket.bytesRead - readBefore - bytes * (1 + byteFramingBytes);
      if (framing <= maxFramingMiB * 1024 * 1024) return undefined;
      return cut('truncated', `it has more than ${maxFramingMiB} MiB of chunk extensions`);
    },
    ended: (error) => {
      const isDropped = firstCodeOf(socket.errored).startsWith('E');
      // Without a length, a body seems complete even if the connection broke.
      if (error === undefined && (isFramed || !isDropped)) return undefined;
      const cause = garbled?.() ?? error;
      if (isGarbled(cause)) return cut('truncated', 'the answer is malformed', cause);
      if (!isDropped) return cut('truncated', 'the answer ended early', cause);
      return cut('reset', 'the connection dropped during the answer', socket.errored);
    },
  });
  return {
    ...head,
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
