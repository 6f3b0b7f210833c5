/** Text and bytes that arrive in pieces so small that each may cost more than it holds. */

/** Longer parts cost less to join; shorter ones hold fewer linked pieces. */
const partLength = 8 * 1024;

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

const blockBytes = 64 * 1024;

/** Bytes that grow at their end. Pieces are copied: a small one may keep a large buffer alive. */
export class GrowingBytes {
  readonly #blocks: Buffer[] = [];
  length = 0;

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const used = this.length % blockBytes;
      if (used === 0) this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes));
      const copied = piece.copy(this.#blocks.at(-1) ?? piece, used, at);
      at += copied;
      this.length += copied;
    }
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#blocks, this.length);
  }
}
