/** Takes the long strings out of JSON while it arrives, so that a large body is never held whole. */

/** A string of more bytes is taken out. */
export const longestHeldBytes = 64 * 1024;
const quote = 0x22;
const backslash = 0x5c;

/**
 * The JSON with another text in the place of each long string; what is no JSON comes through as it
 * is, or nearly. Nothing is unescaped.
 * @param keep takes all of a long string, as it stands between its quotes, and gives that text
 */
export async function* withoutLongStrings(
  body: AsyncIterable<Uint8Array>,
  keep: (pieces: AsyncIterable<Buffer>) => Promise<string>,
): AsyncGenerator<Buffer> {
  const scan = new Scan(body[Symbol.asyncIterator]());
  try {
    for (;;) {
      const { bytes, ended } = await scan.upToQuote();
      yield bytes;
      if (!ended) return;
      const start = await scan.startOfString();
      yield start.isWhole ? start.bytes : Buffer.from(await keep(scan.string(start.bytes)));
      // Whoever keeps a string may leave a part of it unread.
      await scan.skipString();
      yield Buffer.from(start.isCut ? '' : '"');
    }
  } finally {
    await scan.close();
  }
}

class Scan {
  #chunk: Buffer = Buffer.alloc(0);
  #isOver = false;
  #isEscaped = false;
  #isInString = false;

  constructor(private readonly chunks: AsyncIterator<Uint8Array>) {}

  /** The bytes up to the next quote, with it; or those that are at hand, or the last ones. */
  async upToQuote(): Promise<{ bytes: Buffer; ended: boolean }> {
    const pieces: Buffer[] = [];
    while (await this.#fill()) {
      const at = this.#chunk.indexOf(quote);
      pieces.push(this.#take(at < 0 ? this.#chunk.length : at + 1));
      this.#isInString = at >= 0;
      if (this.#isInString) return { bytes: Buffer.concat(pieces), ended: true };
    }
    return { bytes: Buffer.concat(pieces), ended: false };
  }

  /** What is held of a string before it counts as long; its closing quote is gone when it ended. */
  async startOfString(): Promise<{ bytes: Buffer; isWhole: boolean; isCut: boolean }> {
    const pieces: Buffer[] = [];
    let size = 0;
    while (this.#isInString && size <= longestHeldBytes && (await this.#fill())) {
      const piece = this.#inside();
      pieces.push(piece);
      size += piece.length;
    }
    const isCut = this.#isOver && this.#isInString;
    const isWhole = isCut || (size <= longestHeldBytes && !this.#isInString);
    return { bytes: Buffer.concat(pieces), isWhole, isCut };
  }

  /** A long string, after its start. */
  async *string(start: Buffer): AsyncGenerator<Buffer> {
    yield start;
    while (this.#isInString && (await this.#fill())) yield this.#inside();
  }

  /** Goes to the end of the string. */
  async skipString(): Promise<void> {
    while (this.#isInString && (await this.#fill())) this.#inside();
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** The part of the chunk that lies in the string. */
  #inside(): Buffer {
    let at = 0;
    for (; at < this.#chunk.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#chunk[at] === backslash) this.#isEscaped = true;
      else if (this.#chunk[at] === quote) break;
    }
    this.#isInString = at === this.#chunk.length;
    const piece = this.#take(at);
    if (!this.#isInString) this.#take(1);
    return piece;
  }

  #take(length: number): Buffer {
    const piece = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    return piece;
  }

  /** Whether there is a byte left to look at. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0 && !this.#isOver) {
      const next = await this.chunks.next();
      if (next.done) this.#isOver = true;
      else this.#chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
    }
    return this.#chunk.length > 0;
  }
}
