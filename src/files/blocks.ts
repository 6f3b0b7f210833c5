/** Bytes on their way into a file, in blocks, each written at once from the memory it is in. */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { systemClock } from '../lib/clock.js';

/** Large enough that calls cost nothing; a write of 1 MiB has the system look for pages as large. */
const blockBytes = 512 * 1024;
/** A block with less room than this is written: small reads cost more than a block not quite full. */
const leastRoom = 32 * 1024;
/** On a slow connection a block is written after this long: a kill loses no more. */
const longestMs = 500;
/** After so many bytes a sync begins, so that the last one is short. */
const syncBytes = 32 * 1024 * 1024;

/** Writes to one file from a position on, in order. What was given is a prefix of what follows. */
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

  /** Room for the next bytes. Those that are put there still have to be given to `take`. */
  readonly memory = (): Buffer => this.#block.subarray(this.#filled);

  /** Takes bytes, best in the memory that was given for them. @throws what a write fails with. */
  take(piece: Buffer): void {
    this.#check();
    const { buffer, byteOffset } = this.#block;
    const isInPlace = piece.buffer === buffer && piece.byteOffset === byteOffset + this.#filled;
    for (let at = 0; at < piece.length;) {
      const taken = isInPlace ? piece.length : piece.copy(this.#block, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#begunAt === 0) this.#begunAt = systemClock.now();
      const isFull = this.#filled > blockBytes - leastRoom;
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
