/** Downloads a file in as many attempts as needed, each resuming where the last one stopped. */
import { Incomplete } from '../../errors.js';
import { codeOf } from '../../lib/error-code.js';
import { kindBytes } from '../../lib/file-kind.js';
import { plainText } from '../../lib/plain-text.js';
import { Deadline } from '../deadline.js';
import { repeat, type Next } from '../repeat.js';
import { retryAfterMs, type AttemptOutcome } from '../retry.js';
import { BodyCut, type AttemptFailed, type HttpResponse, type Sink, type Wait } from '../types.js';
import { ask, DownloadRefused, restOf, TooLarge, wholeOf } from './request.js';
import type { Downloading, FileRange, RangeRequest, Store } from './request.js';

/** Attempts in a row without new bytes. */
const maxFruitless = 6;
/** The same for answers that are not the file. */
const maxUnwanted = 3;

/** One download: `run` is called once. Times are in milliseconds, sizes in bytes. */
export class Transfer {
  readonly #deadline: Deadline;
  /** The service does not support ranges, or returns the wrong ones. */
  #givesNoRest = false;
  #furthest: number;
  #fruitless = 0;
  #reportedAt = -Infinity;
  #reported: number | undefined;
  /** The first bytes of a file, held back until they show whether it is wanted. */
  #head: Buffer | undefined;

  constructor(
    private readonly options: Downloading,
    private readonly store: Store,
  ) {
    this.#deadline = new Deadline(options);
    this.#furthest = store.bytes;
  }

  async run(): Promise<void> {
    const { store, options } = this;
    // A run may have ended between the last byte and the name.
    const isWhole = store.bytes > 0 && store.bytes === store.version?.length;
    try {
      const [tryOnce, afterFailure] = [this.#tryOnce, this.#afterFailure];
      const attempts = { tryOnce, afterFailure, hasLeft: () => true };
      if (!isWhole) await repeat(options, this.#deadline, attempts);
    } catch (error) {
      // Its message is still to be read, within the deadline.
      if (error instanceof DownloadRefused) error.response = this.#deadline.over(error.response);
      else this.#deadline.end();
      throw error;
    }
    this.#deadline.end();
    const { bytes } = store;
    if (this.#reported !== bytes) options.onProgress?.({ bytes, totalBytes: bytes });
  }

  readonly #afterFailure = async (failure: AttemptFailed): Promise<Wait> => {
    if (this.#unwanted() === undefined) await this.#releaseHead();
    this.#head = undefined;
    // The next attempt continues from what is certainly on disk.
    await this.store.flush();
    const maxAttempts = failure.reason === 'unwanted' ? maxUnwanted : maxFruitless;
    const wait = this.#decide({ failure }, maxAttempts);
    if (!wait) throw failure;
    return wait;
  };

  readonly #tryOnce = async (attempt: number): Promise<Next<undefined>> => {
    const { options, store } = this;
    const isBulk = store.memory !== undefined;
    const signal = this.#deadline.signal ?? options.signal;
    const range = this.#rangeRequest();
    const response = await ask(options, range, attempt, { isBulk, signal });
    const { status, headers } = response;
    if (status === 200) {
      const { version, body } = wholeOf(response);
      this.#checkSize(version.length, response);
      await store.begin(version);
      this.#head = Buffer.alloc(0);
      return this.#read(response, body);
    }
    // With 416, the file may have become shorter than the existing part.
    if (range && (status === 206 || status === 416)) {
      const rest = restOf(response, range);
      this.#checkSize(rest?.total, response);
      if (rest) return this.#read(response, rest);
      response.discard();
      this.#givesNoRest = true;
      return this.#tryOnce(attempt);
    }
    const requestedMs = retryAfterMs(headers['retry-after'], options.clock.now());
    const wait = this.#decide({ status, retryAfterMs: requestedMs });
    if (!wait) throw new DownloadRefused(response, `the service answered ${status}`);
    response.discard();
    return wait;
  };

  #rangeRequest(): RangeRequest | undefined {
    const { bytes, version } = this.store;
    if (this.#givesNoRest || bytes === 0 || version?.etag === undefined) return undefined;
    const { etag, length } = version;
    return length !== undefined && bytes >= length ? undefined : { from: bytes, etag, length };
  }

  async #read(
    response: HttpResponse,
    { upTo, total, encoding }: FileRange,
  ): Promise<Next<undefined>> {
    const { store } = this;
    const { host } = this.options.url;
    const sink = (piece: Buffer) => {
      const bytes = store.bytes + (this.#head?.length ?? 0) + piece.length;
      if (upTo !== undefined && bytes > upTo) {
        this.#givesNoRest = true;
        throw new BodyCut('truncated', `${host}: the answer is longer than announced`);
      }
      this.#checkSize(bytes);
      if (this.#head) this.#head = Buffer.concat([this.#head, piece]);
      if (this.#head && this.#head.length < kindBytes) return undefined;
      const busy = this.#head ? this.#releaseHead() : store.take(piece);
      this.#report(total);
      return busy;
    };
    const read = async (to: Sink) => {
      if (encoding === undefined) await response.pipe(to, store.memory);
      else await readDecoded(response, encoding, to);
      const isShort = this.#head && this.#head.length < (upTo ?? 0);
      if (!isShort) await this.#releaseHead();
    };
    await (total === undefined ? pipeFile(response, sink, read) : read(sink));
    await store.flush();
    if (upTo !== undefined && store.bytes < upTo) {
      throw new BodyCut('truncated', `${host}: the answer ended early`);
    }
    return upTo === total ? { result: undefined } : undefined;
  }

  #releaseHead(): void | Promise<void> {
    const unwanted = this.#unwanted();
    if (unwanted !== undefined) {
      throw new BodyCut('unwanted', `the service answered 200 with ${unwanted}`);
    }
    const head = this.#head;
    this.#head = undefined;
    if (head && head.length > 0) return this.store.take(head);
  }

  #unwanted(): string | undefined {
    return this.#head && this.options.unwanted?.(this.#head);
  }

  #checkSize(bytes = 0, response?: HttpResponse): void {
    const { maxBytes = Infinity } = this.options;
    if (bytes <= maxBytes) return;
    response?.discard();
    throw new TooLarge(`more than ${maxBytes} bytes`);
  }

  /** Called for each piece; reports no more often than a person can see. */
  #report(totalBytes: number | undefined): void {
    const { clock, onProgress } = this.options;
    const now = clock.now();
    if (!onProgress || now - this.#reportedAt < 100) return;
    this.#reportedAt = now;
    this.#reported = this.store.bytes;
    onProgress({ bytes: this.#reported, totalBytes });
  }

  /** Attempts count from the last one that brought new bytes. */
  #decide(outcome: AttemptOutcome, maxAttempts = maxFruitless): Wait | undefined {
    const { bytes } = this.store;
    this.#fruitless = bytes > this.#furthest ? 1 : this.#fruitless + 1;
    this.#furthest = Math.max(this.#furthest, bytes);
    return this.#deadline.decide('safe', this.#fruitless, outcome, maxAttempts);
  }
}

/** @throws Incomplete at the end, unless length or format shows that the file is complete. */
export async function pipeFile(
  response: HttpResponse,
  sink: Sink,
  read: (sink: Sink) => Promise<void> = (to) => response.pipe(to),
): Promise<void> {
  if (!response.endsWithConnection) return read(sink);
  const { FileEnd } = await import('../../lib/file-end.js');
  const end = new FileEnd();
  await read((piece) => {
    end.take(piece);
    return sink(piece);
  });
  if (end.isWhole) return;
  throw new Incomplete(
    'the file may be incomplete: the service sent no length, and the format does not mark its end',
    { code: 'length_unknown', hint: 'check the file before you request it again' },
  );
}

/** Reads the body decoded. @throws BodyCut for a truncated or malformed one. */
async function readDecoded(response: HttpResponse, encoding: string, sink: Sink): Promise<void> {
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  const isKnown = /^(?:(?:x-)?gzip|deflate|br)$/.test(encoding);
  if (!isKnown) {
    response.discard();
    const words = `the service sent the file in the unknown encoding ${plainText(encoding, 40)}`;
    throw new Incomplete(words, { code: 'unknown_encoding' });
  }
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  const drain = async () => {
    for await (const piece of decoder) if (Buffer.isBuffer(piece)) await sink(piece);
  };
  const drained = drain().catch((error: unknown) => {
    // zlib's own errors, not those of the sink.
    if (!/^(Z_|ERR_)/.test(codeOf(error) ?? '')) throw error;
    throw new BodyCut('truncated', 'the answer could not be decompressed', error);
  });
  drained.catch(() => undefined);
  const written = (piece: Buffer) =>
    new Promise<void>((resolve, reject) => {
      decoder.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  try {
    // An error of the decoder also ends the reading: a failed write may never be reported.
    await response.pipe((piece) => Promise.race([written(piece), drained]));
    decoder.end();
    await drained;
  } finally {
    decoder.destroy();
  }
}
