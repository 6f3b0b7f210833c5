/** Text and bytes that arrive in pieces so small that each may cost more than it holds. */

/** Longer parts cost less to join; shorter ones hold fewer linked pieces, which V8 moves to its old generation. */
const partLength = 2 * 1024;

export class GrowingText {
  #parts: string[] = [];
  #tail = '';
  length = 0;

  add(piece: string): void {
    this.length += piece.length;
    this.#tail += piece;
    if (this.#tail.length < partLength) return;
    // Reading a character makes V8 flatten the pieces that it had only linked together.
    this.#tail.charCodeAt(0);
    this.#parts.push(this.#tail);
    this.#tail = '';
  }

  toString(): string {
    if (this.#parts.length === 0) return this.#tail;
    if (this.#tail !== '') this.#parts.push(this.#tail);
    if (this.#parts.length > 1) this.#parts = [this.#parts.join('')];
    this.#tail = '';
    return this.#parts[0] ?? '';
  }

  take(): string {
    const whole = this.toString();
    if (this.#parts.length > 0) this.#parts = [];
    this.#tail = '';
    this.length = 0;
    return whole;
  }
}

const tailBytes = 64 * 1024;

/** Bytes that grow at their end. A small piece is copied: it may keep a large buffer alive. */
export class GrowingBytes {
  readonly #parts: Buffer[] = [];
  /** Made when it is needed: most answers are streams. */
  #tail: Buffer | undefined;
  #tailLength = 0;
  length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (piece.length >= 4096 && piece.length * 2 >= piece.buffer.byteLength) {
      this.#flush();
      this.#parts.push(piece);
      return;
    }
    const tail = (this.#tail ??= Buffer.allocUnsafeSlow(tailBytes));
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(tail, this.#tailLength, at);
      at += copied;
      this.#tailLength += copied;
      if (this.#tailLength === tailBytes) this.#flush();
    }
  }

  toBuffer(): Buffer {
    this.#flush();
    return Buffer.concat(this.#parts, this.length);
  }

  #flush(): void {
    if (this.#tail && this.#tailLength > 0)
      this.#parts.push(Buffer.from(this.#tail.subarray(0, this.#tailLength)));
    this.#tailLength = 0;
  }
}
