/** One request and its answer over an open connection, in HTTP/1.1. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { durationWords } from '../lib/duration.js';
import type { BulkBody } from './bulk.js';
import { joinChunks } from './chunks.js';
import { limit, noTimer } from './deadline.js';
import { firstCodeOf, exchangeFailure } from './failure.js';
import { Incoming } from './incoming.js';
import { pieceBytes, piecesOf, AttemptFailed, BodyCut } from './types.js';
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
  const { body, url } = request;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
  const wire = http.request({
    createConnection: () => connection.socket,
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
  if (!connection.bulk) joinChunks(wire);
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(request, wire, reject);
    connection.socket.once('free', connection.release);
    exchange.start(length, (answer) => resolve(responseFrom(request, connection, wire, answer)));
  });
}

/** Until the head of the answer; the body of the request may take longer. */
class Exchange {
  #isOver = false;
  #isStopped = false;
  #stopTimer = noTimer;
  /** Ends the wait for a piece that is being written. */
  #wake = noTimer;

  constructor(
    private readonly request: HttpRequest,
    private readonly wire: ClientRequest,
    private readonly reject: (failure: AttemptFailed) => void,
  ) {}

  start(length: number | undefined, onAnswer: (answer: IncomingMessage) => void): void {
    const { request, wire } = this;
    const { signal, timeouts, url } = request;
    wire.on('error', (error) => this.#fail(exchangeFailure(url, error)));
    wire.once('close', () => this.#fail(exchangeFailure(url, undefined)));
    wire.once('finish', () => {
      if (this.#isOver) return;
      const words = `no answer within ${durationWords(timeouts.firstByteMs)}`;
      const late = () => this.#giveUp('first-byte-timeout', words);
      this.#stopTimer = limit(timeouts.firstByteMs, late);
    });
    wire.once('response', (answer) => {
      this.#end();
      // Answers other than a refusal may start while the body is still being read.
      if ((answer.statusCode ?? 0) >= 300) this.#stopSending();
      onAnswer(answer);
    });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted) this.#onAbort();
    else this.#send(request.body, length);
  }

  #send(body: HttpRequest['body'], length: number | undefined): void {
    const isStreamed = typeof body === 'object' && 'open' in body;
    if (body === undefined || length === undefined) this.wire.end();
    else if (!isStreamed && length <= pieceBytes) this.wire.end(body);
    else {
      this.#sendPieces(length, piecesOf(body)).catch((cause: unknown) => {
        if (!this.#isStopped) this.#giveUp('body', 'the request body could not be read', cause);
      });
    }
  }

  async #sendPieces(length: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    let sent = 0;
    for await (const piece of pieces) {
      sent += piece.length;
      if (sent > length) break;
      await this.#write(piece);
      if (this.#isStopped) return;
    }
    if (sent === length) this.wire.end();
    else this.#giveUp('body', 'the request body changed its length while it was read');
  }

  #write(piece: Uint8Array): Promise<void> {
    const { idleMs } = this.request.timeouts;
    return new Promise((resolve) => {
      const stopTimer = limit(idleMs, () => {
        this.#giveUp('first-byte-timeout', `it accepted no data for ${durationWords(idleMs)}`);
      });
      this.#wake = () => {
        stopTimer();
        resolve();
      };
      this.wire.write(piece, this.#wake);
    });
  }

  #stopSending(): void {
    this.#isStopped = true;
    this.#wake();
  }

  readonly #onAbort = (): void => {
    const { signal } = this.request;
    this.#fail(new AttemptFailed('aborted', true, 'aborted', signal?.reason));
  };

  #giveUp(reason: FailureReason, words: string, cause?: unknown): void {
    // During an answer, giving up the connection is what ends it.
    if (this.#isOver) this.wire.destroy();
    this.#fail(new AttemptFailed(reason, true, `${this.request.url.host}: ${words}`, cause));
  }

  #fail(failure: AttemptFailed): void {
    if (this.#isOver) return;
    this.#end();
    this.#stopSending();
    this.wire.destroy();
    this.reject(failure);
  }

  #end(): void {
    this.#isOver = true;
    this.#stopTimer();
    this.request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

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
