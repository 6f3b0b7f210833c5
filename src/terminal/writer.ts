/** One output stream: its failures become errors of ours, its slowness a promise. */
import type { Writable } from 'node:stream';
import { LocalFileError } from '../errors.js';

/** The reader of stdout went away (EPIPE): nothing is wrong, and nobody is left to tell. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** A stream as node gives it: terminals say so. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

export class Writer {
  private opened: OutputStream | undefined;
  private failure: Error | undefined;
  private slow: Promise<void> | undefined;

  /**
   * @param open gives the stream when it is first needed: opening one costs a start 1 to 5 ms.
   * @param onFailure told once, so that work for a reader that is gone can stop at once.
   */
  constructor(
    private readonly open: () => OutputStream,
    private readonly streamName: string,
    private readonly onFailure: (failure: Error) => void,
  ) {}

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  get stream(): OutputStream {
    if (!this.opened) {
      this.opened = this.open();
      // Also after a failure: a late EPIPE must not become an uncaught error.
      this.opened.on('error', (error) => {
        this.fail(error);
      });
    }
    return this.opened;
  }

  /** Writes; the promise, when there is one, settles when the reader has caught up. */
  write(data: string | Uint8Array): void | Promise<void> {
    if (this.failure) throw this.failure;
    let keepsUp: boolean;
    try {
      keepsUp = this.stream.write(data);
    } catch (error) {
      // Files and devices are written synchronously and throw.
      throw this.fail(error);
    }
    if (!keepsUp) return this.drained();
  }

  /** Resolves when all that was written has left; rejects when it could not. */
  flush(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    if (!this.opened || this.opened.writableLength === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.stream.write('', () => {
        if (this.failure) reject(this.failure);
        else resolve();
      });
    });
  }

  private drained(): Promise<void> {
    this.slow ??= new Promise((resolve, reject) => {
      const settle = () => {
        this.stream.off('drain', settle).off('error', settle).off('close', settle);
        this.slow = undefined;
        if (this.failure) reject(this.failure);
        else resolve();
      };
      this.stream.on('drain', settle).on('error', settle).on('close', settle);
    });
    return this.slow;
  }

  private fail(error: unknown): Error {
    if (this.failure) return this.failure;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    this.failure =
      code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED'
        ? new ReaderGone()
        : new LocalFileError(
            `cannot write to ${this.streamName}: ${code === 'ENOSPC' ? 'no space left' : String(code ?? error)}`,
            { code: 'write_failed', cause: error, hint: 'free some space, or write elsewhere' },
          );
    this.onFailure(this.failure);
    return this.failure;
  }
}
