/**
 * Bytes on their way into a file, gathered in large blocks. A block is written at once, from the
 * memory that it has just been read into; handing it to another thread costs a third more. Once a
 * disk has shown that it makes its writers wait, blocks are written while the next are read.
 */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Large enough that calls cost nothing; a write of 1 MiB has the system look for pages as large. */
const blockBytes = 512 * 1024;
/** A block with less room than this is written: small reads cost more than a block not quite full. */
const leastRoom = 32 * 1024;
/** Blocks that may wait to be written, the one under way included. */
const maxWaiting = 2;
/** On a slow line a block is written after this long though it is not full: a kill loses no more. */
const longestMs = 500;
/**
 * A write that takes longer would be felt, for nothing else happens meanwhile. Linux holds a writer
 * back for up to 200 ms while it catches up with a disk; more is a disk in trouble, or far away.
 */
const slowMs = 200;
/**
 * After so many bytes the disk is told to begin: while more come it has nothing else to do, and
 * at the end there is little left to wait for.
 */
const syncBytes = 32 * 1024 * 1024;

/** Writes to one file from a position on, in order. What was given is a prefix of what follows. */
export class Blocks {
  readonly #handle: FileHandle;
  readonly #now: () => number;
  readonly #spare: Buffer[] = [];
  #block: Buffer | undefined;
  #filled = 0;
  #begunAt = 0;
  #position: number;
  #waiting = 0;
  #isSlow = false;
  #written: Promise<void> = Promise.resolve();
  /** The same without the last block. */
  #writtenBut1: Promise<void> = Promise.resolve();
  #unsynced = 0;
  #syncing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @param position bytes from the start of the file. @param now milliseconds. */
  constructor(handle: FileHandle, position: number, now: () => number) {
    this.#handle = handle;
    this.#position = position;
    this.#now = now;
  }

  /** Where the file will end when all that was given is written. */
  get end(): number {
    return this.#position + this.#filled;
  }

  /** Room for the next bytes. Those that are put there still have to be given to `take`. */
  readonly memory = (): Buffer => this.#current().subarray(this.#filled);

  /**
   * Takes bytes, best in the memory that was given for them. A promise means: no more until then.
   * @throws what an earlier write failed with.
   */
  take(piece: Buffer): void | Promise<void> {
    this.#check();
    if (!this.#isInPlace(piece)) return this.#copy(piece);
    this.#filled += piece.length;
    return this.#afterTaking();
  }

  /** Resolves when all that was taken is written; rejects when it could not be. */
  async flush(): Promise<void> {
    if (this.#filled > 0) this.#writeOut();
    await this.#written;
    this.#check();
  }

  /** Resolves when all that was taken will outlast a power cut. */
  async sync(): Promise<void> {
    await this.flush();
    await this.#syncing;
    this.#check();
    await this.#handle.datasync();
  }

  /** From now on bytes go elsewhere in the file. Only after `flush`. */
  moveTo(position: number): void {
    this.#position = position;
  }

  #current(): Buffer {
    this.#block ??= this.#spare.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
    return this.#block;
  }

  #isInPlace(piece: Buffer): boolean {
    const { buffer, byteOffset } = this.#current();
    return piece.buffer === buffer && piece.byteOffset === byteOffset + this.#filled;
  }

  #copy(piece: Buffer): void | Promise<void> {
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(this.#current(), this.#filled, at);
      at += copied;
      this.#filled += copied;
      const busy = this.#afterTaking();
      if (busy && at < piece.length) return busy.then(() => this.take(piece.subarray(at)));
      if (busy) return busy;
    }
  }

  #afterTaking(): void | Promise<void> {
    const isFull = this.#filled > blockBytes - leastRoom;
    if (this.#begunAt === 0) this.#begunAt = this.#now();
    if (isFull || this.#now() - this.#begunAt >= longestMs) this.#writeOut();
    this.#check();
    if (this.#waiting >= maxWaiting) return this.#writtenBut1.then(() => this.#check());
  }

  #writeOut(): void {
    const block = this.#current();
    const length = this.#filled;
    const position = this.#position;
    this.#filled = 0;
    this.#begunAt = 0;
    this.#position += length;
    if (this.#isSlow) {
      this.#block = undefined;
      this.#writeLater(block, length, position);
    } else this.#writeNow(block, length, position);
  }

  #writeNow(block: Buffer, length: number, position: number): void {
    const startedAt = this.#now();
    try {
      for (let at = 0; at < length;) {
        at += writeSync(this.#handle.fd, block, at, length - at, position + at);
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isSlow = this.#now() - startedAt > slowMs;
    this.#beginSync(length);
  }

  /** One write after the other: whatever moment a kill comes at, the file holds no gap. */
  #writeLater(block: Buffer, length: number, position: number): void {
    this.#waiting += 1;
    this.#writtenBut1 = this.#written;
    this.#written = this.#written.then(async () => {
      try {
        if (!this.#failure) await this.#write(block, length, position);
        this.#beginSync(length);
      } catch (error) {
        this.#failure = { error };
      }
      this.#waiting -= 1;
      this.#spare.push(block);
    });
  }

  /** The system may take a part only; where a disk fills up, the next write says so. */
  async #write(block: Buffer, length: number, position: number): Promise<void> {
    for (let at = 0; at < length;) {
      const { bytesWritten } = await this.#handle.write(block, at, length - at, position + at);
      at += bytesWritten;
    }
  }

  #beginSync(length: number): void {
    this.#unsynced += length;
    if (this.#unsynced < syncBytes || this.#syncing) return;
    this.#unsynced = 0;
    this.#syncing = this.#handle.datasync().then(
      () => {
        this.#syncing = undefined;
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
