/** Brings a file in, in as many attempts as it takes, each going on where the last one stopped. */
import type { Transform } from 'node:stream';
import { Incomplete } from '../../errors.js';
import { codeOf } from '../../lib/error-code.js';
import { plainText } from '../../lib/plain-text.js';
import { Deadline } from '../deadline.js';
import { retryAfterMs, type Outcome } from '../retry.js';
import { kindBytes } from '../../lib/file-kind.js';
import { AttemptFailed, BodyCut, type HttpResponse, type Sink } from '../types.js';
import {
  ask,
  DownloadRefused,
  TooLarge,
  type Asked,
  type Downloading,
  type Store,
} from './request.js';

/** Attempts in a row that bring nothing new. */
const maxFruitless = 6;
/** The same for those that bring something else than the file. */
const maxUnwanted = 3;

/** A body, and what of the file it is. */
interface Body {
  /** Bytes of the file when it has ended; undefined when its head does not say. */
  readonly upTo: number | undefined;
  /** Bytes of the whole file; undefined when nobody says. */
  readonly total: number | undefined;
  readonly encoding?: string;
}

/** One download: `run` is called once. Times are in milliseconds, sizes in bytes. */
export class Transfer {
  readonly #options: Downloading;
  readonly #store: Store;
  readonly #deadline: Deadline;
  /** The service has shown that it gives no rest of a file, or none that fits. */
  #givesNoRest = false;
  /** The most bytes that any attempt came to. */
  #furthest: number;
  #fruitless = 0;
  #reportedAt = -Infinity;
  #reported: number | undefined;
  /** The first bytes of the file, until it is known that they are what is wanted. */
  #head: Buffer | undefined;

  constructor(options: Downloading, store: Store) {
    this.#options = options;
    this.#store = store;
    this.#deadline = new Deadline(options);
    this.#furthest = store.bytes;
  }

  /**
   * Resolves when the store holds all of the file.
   * @throws AttemptFailed or BodyCut for the last attempt; DownloadRefused; TooLarge; Incomplete
   * when nobody can tell whether it is whole; what the store throws.
   */
  async run(): Promise<void> {
    const { bytes, version } = this.#store;
    // A run that ended between the last byte and the name.
    let isWhole = bytes > 0 && bytes === version?.length;
    try {
      for (let attempt = 1; !isWhole; attempt += 1) isWhole = await this.#attempt(attempt);
    } catch (error) {
      // Its words are still to be read, in time too.
      if (error instanceof DownloadRefused) {
        throw new DownloadRefused(this.#deadline.over(error.response), error.message);
      }
      this.#deadline.end();
      throw error;
    }
    this.#deadline.end();
    const total = this.#store.bytes;
    if (this.#reported !== total) this.#options.onProgress?.({ bytes: total, totalBytes: total });
  }

  /** Called for each piece; not told more often than a person can see. */
  #report(totalBytes: number | undefined): void {
    const { clock, onProgress } = this.#options;
    if (!onProgress) return;
    const now = clock.now();
    if (now - this.#reportedAt < 100) return;
    this.#reportedAt = now;
    this.#reported = this.#store.bytes;
    onProgress({ bytes: this.#reported, totalBytes });
  }

  /** Whether the file is whole. When it is not, the wait before the next attempt is over. */
  async #attempt(attempt: number): Promise<boolean> {
    const { clock, observe } = this.#options;
    const startedAt = clock.now();
    try {
      return await this.#fetch(attempt);
    } catch (error) {
      if (!(error instanceof AttemptFailed || error instanceof BodyCut)) throw error;
      // What the next attempt asks for follows on what is there for sure.
      await (this.#unwanted() === undefined ? this.#store.flush() : this.#store.begin({}));
      const failure = this.#deadline.isOver ? this.#deadline.failure(error) : error;
      const { message, reason } = failure;
      observe?.({ kind: 'failure', message, elapsedMs: clock.now() - startedAt });
      const wait = this.#decide({ failure }, reason === 'unwanted' ? maxUnwanted : maxFruitless);
      if (wait.kind === 'stop') throw failure;
      await this.#deadline.wait(wait, true);
      return false;
    }
  }

  async #fetch(attempt: number): Promise<boolean> {
    const asked = this.#asked();
    const signal = this.#deadline.signal ?? this.#options.signal;
    const isBulk = this.#store.memory !== undefined;
    const { response, meaning } = await ask(this.#options, { asked, isBulk, signal, attempt });
    switch (meaning.kind) {
      case 'whole': {
        const { encoding, version } = meaning;
        const { length } = version;
        this.#checkSize(length, response);
        await this.#store.begin(version);
        this.#head = Buffer.alloc(0);
        return this.#read(response, { upTo: length, total: length, encoding });
      }
      case 'rest':
        this.#checkSize(meaning.total, response);
        return this.#read(response, meaning);
      case 'no-rest':
        response.discard();
        this.#givesNoRest = true;
        return this.#fetch(attempt);
      case 'refusal':
        return this.#refused(response);
    }
  }

  #asked(): Asked | undefined {
    const { bytes, version } = this.#store;
    if (this.#givesNoRest || bytes === 0 || version?.etag === undefined) return undefined;
    // More than the whole can only be a mistake.
    if (version.length !== undefined && bytes >= version.length) return undefined;
    return { from: bytes, etag: version.etag, length: version.length };
  }

  #judge(): void {
    const unwanted = this.#unwanted();
    if (unwanted !== undefined) {
      throw new BodyCut('unwanted', `the service answered 200 with ${unwanted}`);
    }
    this.#head = undefined;
  }

  /** What the first bytes are in the place of the file, as far as they are still open. */
  #unwanted(): string | undefined {
    return this.#head && this.#options.unwanted?.(this.#head);
  }

  /** @param bytes undefined when they are not announced. */
  #checkSize(bytes: number | undefined, response?: HttpResponse): void {
    const { maxBytes = Infinity } = this.#options;
    if (bytes === undefined || bytes <= maxBytes) return;
    response?.discard();
    throw new TooLarge(`more than ${maxBytes} bytes`);
  }

  async #read(response: HttpResponse, { upTo, total, encoding }: Body): Promise<boolean> {
    const store = this.#store;
    const { host } = this.#options.url;
    const sink = (piece: Buffer) => {
      if (upTo !== undefined && store.bytes + piece.length > upTo) {
        this.#givesNoRest = true;
        throw new BodyCut('truncated', `${host}: more came than was announced`);
      }
      this.#checkSize(store.bytes + piece.length);
      // Judged as soon as there is enough of it.
      if (this.#head) this.#head = Buffer.concat([this.#head, piece.subarray(0, kindBytes)]);
      if (this.#head && this.#head.length >= kindBytes) this.#judge();
      const busy = store.take(piece);
      this.#report(total);
      return busy;
    };
    const read = async (to: Sink) => {
      await (encoding === undefined
        ? response.pipe(to, store.memory)
        : readDecoded(response, encoding, to));
      if (upTo === undefined || store.bytes >= upTo) this.#judge();
    };
    await (total === undefined ? pipeFile(response, sink, read) : read(sink));
    await store.flush();
    if (upTo !== undefined && store.bytes < upTo) {
      throw new BodyCut('truncated', `${host}: the answer broke off early`);
    }
    return upTo === total;
  }

  async #refused(response: HttpResponse): Promise<boolean> {
    const { status, headers } = response;
    const asked = retryAfterMs(headers['retry-after'], this.#options.clock.now());
    const wait = this.#decide({ status, retryAfterMs: asked });
    if (wait.kind === 'stop') {
      throw new DownloadRefused(response, `the service answered ${status}`);
    }
    response.discard();
    await this.#deadline.wait(wait, true);
    return false;
  }

  #decide(outcome: Outcome, maxAttempts = maxFruitless) {
    const { bytes } = this.#store;
    const attempt = bytes > this.#furthest ? 1 : this.#fruitless + 1;
    this.#fruitless = attempt;
    this.#furthest = Math.max(this.#furthest, bytes);
    return this.#deadline.decide('safe', attempt, outcome, maxAttempts);
  }
}

/**
 * Pipes a file to where it goes. Where only the end of the connection ends it, it is whole if its
 * own format says so.
 * @param read in place of the answer's own `pipe`.
 * @throws Incomplete, after the last byte, when nothing shows that it is whole; what `read` throws.
 */
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
    'the file cannot be told to be whole: the service did not say how long it is, and the file itself does not show its end',
    { code: 'length_unknown', hint: 'look whether all of it is there before you ask for it again' },
  );
}

/**
 * Reads the body decoded.
 * @throws as `pipe` does; BodyCut when what came is cut or garbled; Incomplete for an encoding
 * that nothing here decodes.
 */
async function readDecoded(response: HttpResponse, encoding: string, sink: Sink): Promise<void> {
  const zlib = await import('node:zlib');
  const decoders: Readonly<Record<string, (() => Transform) | undefined>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const decoder = decoders[encoding]?.();
  if (!decoder) {
    response.discard();
    throw new Incomplete(`the service sent the file encoded as ${plainText(encoding, 40)}`, {
      code: 'unknown_encoding',
    });
  }
  const drained = drain(decoder, sink);
  drained.catch(() => undefined);
  const written = (piece: Buffer) =>
    new Promise<void>((resolve, reject) => {
      decoder.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  try {
    // What ends the draining ends the reading too: a write that failed may never be heard of again.
    await response.pipe((piece) => Promise.race([written(piece), drained]));
    decoder.end();
    await drained;
  } finally {
    decoder.destroy();
  }
}

async function drain(decoder: Transform, sink: Sink): Promise<void> {
  try {
    for await (const piece of decoder) if (Buffer.isBuffer(piece)) await sink(piece);
  } catch (error) {
    // zlib's own complaints, as against what the sink throws.
    if (!/^(Z_|ERR_)/.test(codeOf(error) ?? '')) throw error;
    throw new BodyCut('truncated', 'the answer could not be decompressed', error);
  }
}
