/** The body of a request, on its way out. */
import type { ClientRequest } from 'node:http';
import { limit } from './timeouts.js';
import type { HttpRequest } from './types.js';

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A body that leaves in one write with the head, or one that leaves piece by piece. */
export type Outgoing =
  | { readonly length: number; readonly whole: string | Uint8Array }
  | { readonly length: number; readonly pieces: () => Pieces };

const pieceBytes = 64 * 1024;

/** How a body leaves, and its length in bytes; undefined when there is none. */
export function outgoing(body: HttpRequest['body']): Outgoing | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'string' && 'open' in body) return { length: body.length, pieces: body.open };
  const length = Buffer.byteLength(body);
  if (length <= pieceBytes) return { length, whole: body };
  return { length, pieces: () => slices(typeof body === 'string' ? Buffer.from(body) : body) };
}

function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export interface PumpEvents {
  /** The body could not be read, or is not as long as was said. */
  readonly fail: (words: string, cause?: unknown) => void;
  /** The other side has taken nothing for `stallMs`. */
  readonly stall: () => void;
}

/** Writes the pieces of a body to a request, one at a time, then ends it. */
export class Pump {
  readonly #request: ClientRequest;
  readonly #stallMs: number;
  readonly #events: PumpEvents;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(request: ClientRequest, stallMs: number, events: PumpEvents) {
    this.#request = request;
    this.#stallMs = stallMs;
    this.#events = events;
  }

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
      if (!this.#isStopped) this.#events.fail('the body of the request could not be read', cause);
      return;
    }
    if (this.#isStopped) return;
    if (sent === length) this.#request.end();
    else this.#events.fail('the body of the request changed its length while it was read');
  }

  /** Waits until the system has taken the piece: the source may then reuse its memory. */
  #write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = limit(this.#stallMs, this.#events.stall);
      this.#wake = () => {
        stopTimer();
        resolve();
      };
      this.#request.write(piece, this.#wake);
    });
  }
}
