/** One request and its answer over a connection that stands, in HTTP/1.1. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { durationWords } from '../lib/duration.js';
import { firstCodeOf, exchangeFailure } from './failure.js';
import { Incoming, type Source } from './incoming.js';
import { outgoing, Pump } from './outgoing.js';
import { limit, noTimer } from './timeouts.js';
import { AttemptFailed, type HttpRequest, type HttpResponse, type Memory } from './types.js';

export interface Line {
  readonly socket: Duplex;
  /** Takes the body over from the parser, where the line can. */
  readonly bulk?: Bulk;
  /** Called when the answer is whole and the line may carry another. */
  readonly release: () => void;
  /** What to ask for, when it is not the URL's path. */
  readonly path?: string;
  /** For the line alone: what a proxy wants to know. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Bulk {
  /** The head has been read: what comes after it waits until the source is started. */
  readonly hold: () => void;
  /** @param finish the body is whole, and the parser was not told: the line is of no more use. */
  readonly source: (answer: IncomingMessage, finish: () => void) => BulkSource;
}

export interface BulkSource extends Omit<Source, 'destroy'> {
  /** Said before the source is started. */
  useMemory(memory: Memory | undefined): void;
}

/**
 * Sends a request over a line and resolves at the head of the answer.
 * @throws AttemptFailed with `sent` true.
 */
export function exchange(request: HttpRequest, line: Line): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { url, signal, timeouts } = request;
    const { socket } = line;
    const body = outgoing(request.body);
    const wire = http.request({
      createConnection: () => socket,
      method: request.method,
      path: line.path ?? url.pathname + url.search,
      headers: { ...headersOf(request, body?.length), ...line.headers },
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
    const pump = new Pump(wire, timeouts.idleMs, {
      // Once an answer is coming, giving up the line is what ends it.
      fail: (words, cause) => {
        if (isOver) wire.destroy();
        else failWith('body', words, cause);
      },
      stall: () => {
        if (isOver) wire.destroy();
        else
          failWith('first-byte-timeout', `it took nothing for ${durationWords(timeouts.idleMs)}`);
      },
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
      line.bulk?.hold();
      // A refusal that comes before the body is sent ends the sending; other answers may be
      // made while they still read.
      if ((answer.statusCode ?? 0) >= 300) pump.stop();
      resolve(responseFrom(request, line, wire, answer));
    });
    socket.once('free', line.release);
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
  line: Line,
  wire: ClientRequest,
  answer: IncomingMessage,
): HttpResponse {
  const { socket } = answer;
  const bulk = line.bulk?.source(answer, () => {
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
    // A body that lasts as long as its line is whole for Node even when the line broke.
    if (dropped !== undefined && !isFramed(answer)) incoming.cut('reset', inTheMiddle, dropped);
    else incoming.finish();
    // The service did not want the rest of the request: the line is of no more use.
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
    endsWithLine: !isFramed(answer),
    pour: (sink, memory) => {
      bulk?.useMemory(memory);
      return incoming.pour(sink);
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
