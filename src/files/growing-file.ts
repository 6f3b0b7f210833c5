/** A file that is read while it is still being written. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { ByteSource } from '../lib/audio/source.js';
import { fileTrouble } from './file-trouble.js';

export class GrowingFile implements ByteSource {
  #length = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void)[] = [];

  private constructor(
    private readonly place: string,
    private readonly handle: FileHandle,
  ) {}

  /** Makes the file. @throws LocalFileError */
  static async create(path: string): Promise<GrowingFile> {
    try {
      return new GrowingFile(path, await open(path, 'wx+', 0o600));
    } catch (cause) {
      throw fileTrouble(cause, `cannot write ${path}`);
    }
  }

  /** How much of it there is so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes at its end, one call after the other. @throws LocalFileError */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.handle.write(
          bytes,
          at,
          bytes.length - at,
          this.#length,
        );
        at += bytesWritten;
        this.#length += bytesWritten;
      }
    } catch (cause) {
      throw fileTrouble(cause, `cannot write ${this.place}`, 'free some space, or set TMPDIR');
    }
    this.#tell();
  }

  /** Nothing more will come; with an error, something is missing. */
  finish(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#tell();
  }

  /** Waits for bytes that are still to come. @throws what `finish` was given, after all bytes. */
  async read(at: number, maxLength: number): Promise<Buffer> {
    while (at >= this.#length && !this.#end) {
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    const length = Math.min(maxLength, this.#length - at);
    if (length <= 0) {
      if (this.#end && 'error' in this.#end) throw this.#end.error;
      return Buffer.alloc(0);
    }
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.handle.read(bytes, 0, length, at);
    return bytes.subarray(0, bytesRead);
  }

  /** Closes it; it stays. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }

  /** Closes and removes it. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.place, { force: true });
  }

  #tell(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
