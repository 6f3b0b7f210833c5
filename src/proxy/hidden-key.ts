/** Takes the account's key out of what the proxy passes on, wherever pieces are cut. */

/** Stars, as many as the key is long: a stated length stays true. */
export class HiddenKey {
  readonly #key: Buffer;
  readonly #stars: Buffer;
  /** What ends a piece and may be the beginning of the key. */
  #held = Buffer.alloc(0);

  constructor(private readonly key: string) {
    this.#key = Buffer.from(key);
    this.#stars = Buffer.alloc(this.#key.length, '*');
  }

  text(text: string): string {
    return text.replaceAll(this.key, this.#stars.toString());
  }

  /** What may be passed on now. */
  piece(piece: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, piece]) : piece;
    const clean = this.whole(bytes);
    const end = clean.length - this.#begunLength(clean);
    // A copy: the memory of a piece may be used again.
    this.#held = Buffer.from(clean.subarray(end));
    return clean.subarray(0, end);
  }

  /** What was held back; the body has ended. */
  rest(): Buffer {
    return this.#held;
  }

  /** A whole body. */
  whole(bytes: Buffer): Buffer {
    let at = bytes.indexOf(this.#key);
    if (at < 0) return bytes;
    const clean = Buffer.from(bytes);
    for (; at >= 0; at = clean.indexOf(this.#key, at)) this.#stars.copy(clean, at);
    return clean;
  }

  /** How many of the last bytes are the beginning of the key. */
  #begunLength(bytes: Buffer): number {
    const first = this.#key[0] ?? 0;
    const from = Math.max(0, bytes.length - this.#key.length + 1);
    for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
      const length = bytes.length - at;
      if (bytes.compare(this.#key, 0, length, at) === 0) return length;
    }
    return 0;
  }
}
