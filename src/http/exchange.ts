/** One request and its answer over a connection that stands, in HTTP/1.1. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { durationWords } from '../lib/duration.js';
import { firstCodeOf, exchangeFailure } from './failure.js';
import { Incoming, type Source } from './incoming.js';
import { limit, noTimer } from './deadline.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Memory } from './types.js';

export interface Connection {
  readonly socket: Duplex;
  /** Takes the body over from the parser, where it can. */
  readonly bulk?: Bulk;
  /** Called when the answer is whole and another may follow. */
  readonly release: () => void;
  /** What to ask for, when it is not the URL's path. */
  readonly path?: string;
  /** What a proxy wants to know. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Bulk {
  /** The head has been read: what comes after it waits until the source is started. */
  readonly hold: () => void;
  /** @param finish the body is whole, and the parser was not told: the connection is of no more use. */
  readonly source: (answer: IncomingMessage, finish: () => void) => BulkSource;
}

export interface BulkSource extends Omit<Source, 'destroy'> {
  /** Said before the source is started. */
  useMemory(memory: Memory | undefined): void;
}

/**
 * Sends a request over a connection and resolves at the head of the answer.
 * @throws AttemptFailed with `sent` true.
 */
export function exchange(request: HttpRequest, connection: Connection): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { url, signal, timeouts } = request;
    const { socket } = connection;
    const body = outgoing(request.body);
    const wire = http.request({
      createConnection: () => socket,
      method: request.method,
      path: connection.path ?? url.pathname + url.search,
      headers: { ...headersOf(request, body?.length), ...connection.headers },
      joinDuplicateHeaders: true,
    });

    let stopFirstByte = noTimer;
    let isOver = false;
    const settle = () => {
      isOver = true;
      stopFirstByte();
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: AttemptFailed) => {
      if (isOver) return;
      settle();
      pump.stop();
      wire.destroy();
      reject(failure);
    };
    const failWith = (reason: AttemptFailed['reason'], words: string, cause?: unknown) => {
      fail(new AttemptFailed(reason, true, `${url.host}: ${words}`, cause));
    };
    const onAbort = () => {
      fail(new AttemptFailed('aborted', true, 'aborted', signal?.reason));
    };
    const pump = new Pump(wire, timeouts.idleMs, (...failure) => {
      // Once an answer is coming, giving up the connection is what ends it.
      if (isOver) wire.destroy();
      else failWith(...failure);
    });

    wire.on('error', (error) => {
      fail(exchangeFailure(url, error));
    });
    wire.once('close', () => {
      fail(exchangeFailure(url, undefined));
    });
    wire.once('finish', () => {
      if (isOver) return;
      stopFirstByte = limit(timeouts.firstByteMs, () => {
        failWith('first-byte-timeout', `no answer within ${durationWords(timeouts.firstByteMs)}`);
      });
    });
    wire.once('response', (answer) => {
      settle();
      connection.bulk?.hold();
      // A refusal that comes before the body is sent ends the sending; other answers may be
      // made while they still read.
      if ((answer.statusCode ?? 0) >= 300) pump.stop();
      resolve(responseFrom(request, connection, wire, answer));
    });
    socket.once('free', connection.release);
    signal?.addEventListener('abort', onAbort, { once: true });

    if (signal?.aborted) onAbort();
    else if (!body) wire.end();
    else if ('whole' in body) wire.end(body.whole);
    else void pump.run(body.length, body.pieces);
  });
}

function headersOf(request: HttpRequest, length: number | undefined): Record<string, string> {
  return {
    host: request.url.host,
    connection: 'keep-alive',
    // Nothing here decompresses, and an answer that streams gains nothing by it.
    'accept-encoding': 'identity',
    ...request.headers,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  };
}

function responseFrom(
  { url, signal, timeouts }: HttpRequest,
  connection: Connection,
  wire: ClientRequest,
  answer: IncomingMessage,
): HttpResponse {
  const { socket } = answer;
  const bulk = connection.bulk?.source(answer, () => {
    incoming.finish();
    wire.destroy();
  });
  const onFlood = () => {
    wire.destroy();
    incoming.cut('truncated', `it has more than ${maxFramingMiB} MiB of chunk extensions`);
  };
  const incoming: Incoming = new Incoming({
    host: url.host,
    idleMs: timeouts.idleMs,
    signal,
    source: { ...(bulk ?? plainSource(answer, onFlood)), destroy: () => wire.destroy() },
  });
  let garbled: unknown;
  let dropped: unknown;
  const onDropped = (error: Error) => {
    dropped = error;
  };
  wire.on('error', (error) => {
    if (firstCodeOf(error).startsWith('HPE_')) garbled = error;
  });
  socket.once('error', onDropped);
  answer.once('end', () => {
    socket.off('error', onDropped);
    // A body that lasts as long as its connection is whole for Node even when that broke.
    if (dropped !== undefined && !isFramed(answer)) incoming.cut('reset', inTheMiddle, dropped);
    else incoming.finish();
    // The service did not want the rest of the request: the connection is of no more use.
    if (!wire.writableFinished) wire.destroy();
  });
  answer.on('error', (error) => {
    if (garbled !== undefined) incoming.cut('truncated', 'the answer is garbled', garbled);
    else if (dropped !== undefined) incoming.cut('reset', inTheMiddle, dropped);
    else incoming.cut('truncated', 'the answer broke off early', error);
  });
  return {
    status: answer.statusCode ?? 0,
    headers: flat(answer.headers),
    endsWithConnection: !isFramed(answer),
    pipe: (sink, memory) => {
      bulk?.useMemory(memory);
      return incoming.pipe(sink);
    },
    discard: () => {
      incoming.discard();
    },
  };
}

/** What may come beside the pieces of a body in all; Node limits it by the chunk alone, to 16 KiB. */
const maxFramingMiB = 4;
/** No more stands around a piece where there are no extensions, TLS included. */
const pieceFramingBytes = 64;

function plainSource(answer: IncomingMessage, onFlood: () => void): Omit<Source, 'destroy'> {
  const { socket } = answer;
  const readBefore = socket.bytesRead;
  let bytes = 0;
  let pieces = 0;
  return {
    start: (receive) =>
      answer.on('data', (piece: Buffer) => {
        receive(piece);
        bytes += piece.length;
        pieces += 1;
        // Asking a socket for its count costs more than reading a piece of a stream.
        if (pieces % 256 !== 0) return;
        const framing = socket.bytesRead - readBefore - bytes - pieces * pieceFramingBytes;
        if (framing > maxFramingMiB * 1024 * 1024) onFlood();
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
  };
}

const inTheMiddle = 'the connection dropped in the middle of the answer';

function isFramed({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Repeated headers are joined with a comma already, but for cookies. */
function flat(headers: IncomingMessage['headers']): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) all[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return all;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A body that leaves in one write with the head, or one that leaves piece by piece. */
type Outgoing =
  | { readonly length: number; readonly whole: string | Uint8Array }
  | { readonly length: number; readonly pieces: () => Pieces };

const pieceBytes = 64 * 1024;

/** How a body leaves, and its length in bytes; undefined when there is none. */
function outgoing(body: HttpRequest['body']): Outgoing | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'string' && 'open' in body) return { length: body.length, pieces: body.open };
  const length = Buffer.byteLength(body);
  if (length <= pieceBytes) return { length, whole: body };
  return { length, pieces: () => slices(typeof body === 'string' ? Buffer.from(body) : body) };
}

function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Writes the pieces of a body to a request, one at a time, then ends it. */
class Pump {
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly request: ClientRequest,
    private readonly stallMs: number,
    /** Told when the body is not as it should be, or the other side takes none for `stallMs`. */
    private readonly fail: (
      reason: 'body' | 'first-byte-timeout',
      words: string,
      cause?: unknown,
    ) => void,
  ) {}

  /** Nobody wants the rest. The source is closed. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  async run(length: number, pieces: () => Pieces): Promise<void> {
    let sent = 0;
    try {
      for await (const piece of pieces()) {
        sent += piece.length;
        if (sent > length) break;
        await this.#write(piece);
        if (this.#isStopped) return;
      }
    } catch (cause) {
      if (!this.#isStopped) this.fail('body', 'the body of the request could not be read', cause);
      return;
    }
    if (this.#isStopped) return;
    if (sent === length) this.request.end();
    else this.fail('body', 'the body of the request changed its length while it was read');
  }

  /** Waits until the system has taken the piece: the source may then reuse its memory. */
  #write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = limit(this.stallMs, () => {
        this.fail('first-byte-timeout', `it took nothing for ${durationWords(this.stallMs)}`);
      });
      this.#wake = () => {
        stopTimer();
        resolve();
      };
      this.request.write(piece, this.#wake);
    });
  }
}
