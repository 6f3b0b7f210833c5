/** One output stream: a failure becomes an error of svc, a slow reader a promise. */
import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { LocalFileError, ReaderGone } from '../errors.js';
import { codeOf } from '../lib/error-code.js';

export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

export class Writer {
  private opened: OutputStream | undefined;
  private failure: Error | undefined;
  private slow: Promise<void> | undefined;

  /** @param streamOf opens the stream when it is first needed, which takes 1 to 5 ms. */
  constructor(
    private readonly streamOf: () => OutputStream,
    private readonly streamName: string,
    private readonly onFailure: (failure: Error) => void,
  ) {}

  get isTerminal(): boolean {
    return this.open().isTTY === true;
  }

  /** 80 when it is not a terminal; some terminals without a size say 0. */
  get columns(): number {
    const { columns = 0 } = this.open();
    return columns === 0 ? 80 : columns;
  }

  open(): OutputStream {
    // The listener stays after a failure: a late EPIPE must not become an uncaught error.
    this.opened ??= this.streamOf().on('error', (error) => this.fail(error));
    return this.opened;
  }

  write(data: string | Uint8Array): void | Promise<void> {
    this.assertWhole();
    const stream = this.open();
    let keepsUp: boolean;
    try {
      keepsUp = stream.write(data);
    } catch (error) {
      throw this.fail(error);
    }
    if (keepsUp) return;
    this.slow ??= this.untilDone((done) => stream.once('drain', done)).finally(() => {
      this.slow = undefined;
    });
    // A caller that does not wait gets the failure from the next write or flush.
    this.slow.catch(() => undefined);
    return this.slow;
  }

  async flush(): Promise<void> {
    this.assertWhole();
    const { opened } = this;
    if (!opened || opened.writableLength === 0) return;
    await this.untilDone((done) => opened.write('', done));
  }

  private async untilDone(step: (done: () => void) => void): Promise<void> {
    const stream = this.open();
    let onEnd: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      onEnd = resolve;
      stream.on('error', resolve).on('close', resolve);
      step(resolve);
    });
    stream.off('error', onEnd).off('close', onEnd).off('drain', onEnd);
    this.assertWhole();
  }

  /** @throws the reason why nothing can be written: a destroyed stream drops data silently. */
  private assertWhole(): void {
    if (this.failure) throw this.failure;
    if (this.opened?.errored) throw this.fail(this.opened.errored);
    if (this.opened?.destroyed) throw this.fail(new ReaderGone());
  }

  private fail(error: unknown): Error {
    if (this.failure) return this.failure;
    const code = codeOf(error);
    const isGone = error instanceof ReaderGone || goneCodes.includes(code ?? '');
    const reason = code === 'ENOSPC' ? 'no space left' : String(code ?? error);
    this.failure = isGone
      ? new ReaderGone()
      : new LocalFileError(`cannot write to ${this.streamName}: ${reason}`, {
          code: 'write_failed',
          cause: error,
          hint: 'free some space, or write elsewhere',
        });
    this.onFailure(this.failure);
    return this.failure;
  }
}

// Windows says EOF.
const goneCodes = ['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

/** Node's own stream takes a short write for a complete one and loses the end on a full disk. */
export function fileStream(fd: number): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      done();
    },
  });
}

export function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/**
 * Joins pieces, because a write costs more than reading one; one write at a time. What has been added
 * is written when the caller first calls `pace` in a turn of the loop, and the rest in the next turn.
 */
export class TextBatch {
  private pending = '';
  private scheduled = false;
  /** Whether something was written since the last turn of the loop. */
  private hasSent = false;
  private slow: Promise<void> | undefined;
  private failure: { reason: unknown } | undefined;

  constructor(private readonly write: (text: string) => void | Promise<void>) {}

  add(text: string): void {
    this.pending += text;
    // A source that never pauses must not fill the memory.
    if (this.pending.length >= 64 * 1024) this.send();
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = this.hasSent = false;
      this.send();
    });
  }

  /** A promise while the reader is slow. @throws the failure of a write */
  pace(): void | Promise<void> {
    if (this.scheduled && !this.hasSent) {
      this.hasSent = true;
      this.send();
    }
    if (this.failure) throw this.failure.reason;
    return this.slow;
  }

  async flush(): Promise<void> {
    this.send();
    while (this.slow) await this.slow;
    await this.pace();
  }

  send(): void {
    if (this.pending === '' || this.failure || this.slow) return;
    const text = this.pending;
    this.pending = '';
    const fail = (reason: unknown) => {
      this.failure = { reason };
    };
    try {
      const slow = this.write(text);
      if (!slow) return;
      this.slow = slow.catch(fail).then(() => {
        this.slow = undefined;
        this.send();
      });
    } catch (reason) {
      fail(reason);
    }
  }
}
