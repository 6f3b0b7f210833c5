/** The body of an answer, read on demand. */
import { longestTimerMs } from '../lib/clock.js';
import { durationWords } from '../lib/duration.js';
import { keepHeapSmall } from '../lib/small-heap.js';
import type { BulkBody } from './bulk.js';
import { BodyCut, type HttpResponse, type Memory, type Sink } from './types.js';

/** A longer body takes memory mainly while it passes. */
const longBodyBytes = 128 * 1024;

export interface BodySource {
  readonly pieces: AsyncIterable<Buffer>;
  readonly bulk?: BulkBody;
  /** Between two pieces; 0 means no limit. Time in which the sink is busy does not count. */
  readonly idleMs: number;
  readonly signal?: AbortSignal;
  readonly host: string;
  readonly destroy: () => void;
  /** Why the body is incomplete after its last piece, with or without an error. */
  readonly ended: (error?: unknown) => BodyCut | undefined;
  /** Why the body is abandoned when only these bytes have arrived. */
  readonly flood?: (bytes: number) => BodyCut | undefined;
}

export class Incoming implements Pick<HttpResponse, 'pipe' | 'discard'> {
  #isOver = false;
  #failure: Error | undefined;
  #release: ((reason: Error) => void) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isIdle = false;

  constructor(private readonly source: BodySource) {
    source.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (source.signal?.aborted) this.#onAbort();
  }

  async pipe(sink: Sink, memory?: Memory): Promise<void> {
    const { bulk, destroy, ended, idleMs, pieces } = this.source;
    let isWhole = false;
    if (idleMs > 0) this.#idle = setTimeout(this.#onIdle, Math.min(idleMs, longestTimerMs)).unref();
    try {
      if (memory && bulk) await this.#readBulk(bulk, sink, memory);
      else await this.#read(pieces[Symbol.asyncIterator](), sink);
      const cut = this.#failure ?? ended();
      if (cut) throw cut;
      isWhole = true;
    } finally {
      clearTimeout(this.#idle);
      this.#end();
      // The parser did not see the end: the connection cannot be reused.
      if (!isWhole || bulk) destroy();
    }
  }

  discard(): void {
    this.giveUp(new Error('the answer was abandoned'));
  }

  giveUp(reason: Error): void {
    if (this.#isOver) return;
    this.#failure ??= reason;
    this.#end();
    this.#release?.(this.#failure);
    this.source.destroy();
  }

  #end(): void {
    this.#isOver = true;
    this.source.signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    this.giveUp(new BodyCut('aborted', 'aborted', this.source.signal?.reason));
  };

  readonly #onIdle = (): void => {
    if (!this.#isIdle) return;
    const { host, idleMs } = this.source;
    const words = `no data for ${durationWords(idleMs)} during the answer`;
    this.giveUp(new BodyCut('idle-timeout', `${host}: ${words}`));
  };

  async #read(pieces: AsyncIterator<Buffer>, sink: Sink): Promise<void> {
    let bytes = 0;
    for (;;) {
      const next = await this.#arriving(pieces.next());
      if (next.done) return;
      const isShort = bytes <= longBodyBytes;
      bytes += next.value.length;
      if (isShort && bytes > longBodyBytes) await keepHeapSmall();
      const flood = this.source.flood?.(bytes);
      if (flood) throw flood;
      const busy = sink(next.value);
      if (busy !== undefined) await this.#while(busy);
    }
  }

  /** The sink takes each piece at once: only then is the place of the next one known. */
  async #readBulk(bulk: BulkBody, sink: Sink, memory: Memory): Promise<void> {
    let busy: void | Promise<void> = undefined;
    const take = (piece: Buffer): boolean => {
      this.#idle?.refresh();
      try {
        busy = sink(piece);
      } catch (error) {
        busy = Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
      return busy === undefined;
    };
    let isMore = bulk.start(memory, take);
    for (;;) {
      if (busy !== undefined) await this.#while(busy);
      busy = undefined;
      if (!isMore) return;
      isMore = await this.#arriving(bulk.next());
    }
  }

  async #arriving<Next>(next: Promise<Next>): Promise<Next> {
    this.#isIdle = true;
    this.#idle?.refresh();
    try {
      return await next;
    } catch (error) {
      throw this.#failure ?? this.source.ended(error) ?? error;
    } finally {
      this.#isIdle = false;
    }
  }

  #while(busy: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#release = reject;
      busy.then(resolve, reject);
    });
  }
}
