/** A line for large answers: their bytes go straight into the memory of whoever wants them. */
import type { OnReadOpts, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Memory } from './types.js';

/** A body on its way past the parser. */
export interface Diversion {
  readonly memory: Memory;
  /** Bytes until its end. */
  readonly length: number;
  readonly receive: (piece: Buffer) => void;
  /** The last byte has been received. */
  readonly finish: () => void;
}

/** Room for the head of an answer, and for what comes with it. */
const headBytes = 64 * 1024;

/**
 * Stands between a socket and node:http, which parses the head of the answer as ever. A body of
 * known length can then be diverted: without a parser, and without new memory for each read, it
 * costs half the time.
 */
export class BulkLine extends Duplex {
  readonly #head = Buffer.allocUnsafeSlow(headBytes);
  #socket: Socket | undefined;
  #diversion: Diversion | undefined;
  #left = 0;
  #isPaused = false;
  /** What came while it was not known where it is wanted. */
  #held: Buffer[] | undefined;

  /** For the socket that is to be attached. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#diversion?.memory() ?? this.#head,
    callback: (length, memory) =>
      this.#diversion ? this.#divert(this.#diversion, memory, length) : this.#hand(memory, length),
  };

  constructor() {
    // Nothing is read ahead of the parser.
    super({ allowHalfOpen: false, readableHighWaterMark: 1 });
  }

  /** @param socket made with `onread`, and connected. */
  attach(socket: Socket): this {
    this.#socket = socket;
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    // Without it the end would never be told.
    socket.resume();
    return this;
  }

  /** The head has been read: what comes is held back until it is known where it is wanted. */
  hold(): void {
    this.#held = [];
    this.pauseReading();
  }

  /** To the parser with all of it. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const piece of held) this.push(piece);
    this.resumeReading();
  }

  /** What was held back; undefined when some of it is on its way to the parser already. */
  takeHeld(): Buffer | undefined {
    if (this.readableLength > 0) return undefined;
    const held = Buffer.concat(this.#held ?? []);
    this.#held = undefined;
    return held;
  }

  /** From now on the bytes that arrive are those of the body. */
  divert(diversion: Diversion): void {
    this.#diversion = diversion;
    this.#left = diversion.length;
  }

  pauseReading(): void {
    this.#isPaused = true;
    this.#socket?.pause();
  }

  resumeReading(): void {
    this.#isPaused = false;
    this.#socket?.resume();
  }

  override _read(): void {
    if (!this.#isPaused) this.#socket?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#socket?.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket?.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }

  /** The socket rests until the parser has read this: the body may be wanted elsewhere by then. */
  #hand(memory: Uint8Array, length: number): boolean {
    const piece = Buffer.from(memory.subarray(0, length));
    if (this.#held) this.#held.push(piece);
    else this.push(piece);
    return false;
  }

  #divert({ receive, finish }: Diversion, memory: Uint8Array, length: number): boolean {
    // What comes after the end belongs to no answer; the line is done with.
    const taken = Math.min(length, this.#left);
    if (taken === 0) return false;
    this.#left -= taken;
    receive(Buffer.from(memory.buffer, memory.byteOffset, taken));
    if (this.#left === 0) finish();
    return !this.#isPaused;
  }
}
