/** The body of an answer, on its way in. */
import { durationWords } from '../lib/duration.js';
import { limit, noTimer } from './deadline.js';
import { BodyCut, type HttpResponse, type Sink } from './types.js';

/** Where a body comes from: it rests until it is started. */
export interface Source {
  /** Begins to hand pieces over. */
  start(receive: (piece: Buffer) => void): void;
  pause(): void;
  resume(): void;
  /** Frees the connection, whatever state it is in. */
  destroy(): void;
}

export interface IncomingOptions {
  readonly source: Source;
  /** Between two pieces; 0 is no limit. Time in which the sink is busy does not count. */
  readonly idleMs: number;
  readonly signal?: AbortSignal;
  /** Whom to name when it breaks off. */
  readonly host: string;
}

/** Turns a source of pieces into the `pipe` and `discard` of a response. */
export class Incoming implements Pick<HttpResponse, 'pipe' | 'discard'> {
  readonly #options: IncomingOptions;
  #end: 'whole' | Error | undefined;
  #sink: Sink | undefined;
  #settle: { resolve: () => void; reject: (reason: Error) => void } | undefined;
  /** What the sink is busy with. */
  #held: Promise<void> | undefined;
  /** When the last piece came, by the clock that only runs forward. */
  #cameAt = 0;
  #stopWatch = noTimer;

  constructor(options: IncomingOptions) {
    this.#options = options;
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal?.aborted) this.#onAbort();
  }

  /** The source has handed over its last piece. */
  finish(): void {
    this.#close('whole');
  }

  /** The source broke off. */
  cut(reason: BodyCut['reason'], words: string, cause?: unknown): void {
    this.#close(new BodyCut(reason, `${this.#options.host}: ${words}`, cause));
  }

  pipe(sink: Sink): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#sink = sink;
      if (this.#end !== undefined) {
        this.#report(this.#end);
        return;
      }
      this.#cameAt = performance.now();
      this.#watchIdle(this.#options.idleMs);
      this.#options.source.start(this.#receive);
    });
  }

  discard(): void {
    if (this.#end === undefined) this.#give(new Error('the answer was given up'));
  }

  // Runs for every piece of a stream: nothing here but the call, and a mark that it came.
  readonly #receive = (piece: Buffer): void => {
    this.#cameAt = performance.now();
    if (this.#end !== undefined || !this.#sink) return;
    try {
      const busy = this.#sink(piece);
      if (busy !== undefined) this.#hold(busy);
    } catch (error) {
      this.#give(asError(error));
    }
  };

  #hold(busy: Promise<void>): void {
    this.#held = busy;
    this.#options.source.pause();
    busy.then(
      () => {
        // A piece may have come after the pause: the sink is done when it is done with the last.
        if (this.#held !== busy) return;
        this.#held = undefined;
        this.#cameAt = performance.now();
        // The source may have come to its end in the meantime.
        if (this.#end === undefined) this.#options.source.resume();
        else this.#report(this.#end);
      },
      (error: unknown) => {
        this.#give(asError(error));
      },
    );
  }

  /** Looks again when the limit can have passed: a timer set anew for each piece would cost more. */
  #watchIdle(leftMs: number): void {
    const { idleMs } = this.#options;
    this.#stopWatch = limit(leftMs, () => {
      const quietMs = this.#held ? 0 : performance.now() - this.#cameAt;
      // A timer may go off a moment early.
      if (quietMs < idleMs - 1) {
        this.#watchIdle(idleMs - quietMs);
        return;
      }
      this.#options.source.destroy();
      this.cut(
        'idle-timeout',
        `nothing came for ${durationWords(idleMs)} in the middle of the answer`,
      );
    });
  }

  readonly #onAbort = (): void => {
    this.#give(new BodyCut('aborted', 'aborted', this.#options.signal?.reason));
  };

  /** Nobody waits for the rest, nor for the piece in hand. */
  #give(reason: Error): void {
    const isLate = this.#end !== undefined;
    this.#held = undefined;
    this.#close(reason);
    if (isLate) this.#settle?.reject(reason);
    else this.#options.source.destroy();
  }

  #close(end: 'whole' | Error): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stopWatch();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    // What the sink has in hand comes first.
    if (!this.#held) this.#report(end);
  }

  #report(end: 'whole' | Error): void {
    if (end === 'whole') this.#settle?.resolve();
    else this.#settle?.reject(end);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
