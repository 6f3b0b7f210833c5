/** Writes bytes to a file in blocks, each directly from the memory that holds it. */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { systemClock } from '../lib/clock.js';

/** Large enough to make calls cheap; at 1 MiB the system would look for equally large pages. */
const blockBytes = 512 * 1024;
/** A block with less room is written: small reads cost more than an almost full block. */
const minRoom = 32 * 1024;
/** On a slow connection, a block is written after this long: a kill loses no more. */
const longestMs = 500;
/** After this many bytes a sync starts, so that the last one is short. */
const syncBytes = 32 * 1024 * 1024;

export class Blocks {
  readonly #block = Buffer.allocUnsafeSlow(blockBytes);
  #filled = 0;
  #begunAt = 0;
  #unsynced = 0;
  #syncing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly handle: FileHandle,
    private position: number,
  ) {}

  get end(): number {
    return this.position + this.#filled;
  }

  /** Room for the next bytes, which must still be passed to `take`. */
  readonly memory = (): Buffer => this.#block.subarray(this.#filled);

  /** Fastest with bytes in the memory given for them. @throws the error of the write. */
  take(piece: Buffer): void {
    this.#check();
    const { buffer, byteOffset } = this.#block;
    const isInPlace = piece.buffer === buffer && piece.byteOffset === byteOffset + this.#filled;
    for (let at = 0; at < piece.length;) {
      const taken = isInPlace ? piece.length : piece.copy(this.#block, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#begunAt === 0) this.#begunAt = systemClock.now();
      const isFull = this.#filled > blockBytes - minRoom;
      if (isFull || systemClock.now() - this.#begunAt >= longestMs) this.flush();
    }
  }

  flush(): void {
    this.#check();
    try {
      for (let at = 0; at < this.#filled;) {
        const left = this.#filled - at;
        at += writeSync(this.handle.fd, this.#block, at, left, this.position + at);
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
    this.position += this.#filled;
    this.#unsynced += this.#filled;
    this.#filled = 0;
    this.#begunAt = 0;
    if (this.#unsynced < syncBytes || this.#syncing) return;
    this.#unsynced = 0;
    this.#syncing = this.handle.datasync().then(
      () => (this.#syncing = undefined),
      (error: unknown) => void (this.#failure ??= { error }),
    );
  }

  async sync(): Promise<void> {
    this.flush();
    await this.#syncing;
    this.#check();
    await this.handle.datasync();
  }

  moveTo(position: number): void {
    this.flush();
    this.position = position;
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
