/** Writes bits, the highest first, and the codes of numbers (ITU-T H.264, 9.1). */
export class BitWriter {
  private bytes = new Uint8Array(4096);
  private length = 0;
  private held = 0;
  private heldBits = 0;

  /** The lowest `count` bits of a value; at most 24 at once. */
  bits(value: number, count: number): void {
    this.held = (this.held << count) | (value & ((1 << count) - 1));
    this.heldBits += count;
    while (this.heldBits >= 8) {
      this.heldBits -= 8;
      this.byte(this.held >>> this.heldBits);
    }
    this.held &= (1 << this.heldBits) - 1;
  }

  /** An unsigned number, ue(v). */
  unsigned(value: number): void {
    const code = value + 1;
    const width = 32 - Math.clz32(code);
    this.bits(0, width - 1);
    this.bits(code, width);
  }

  /** A signed number, se(v). */
  signed(value: number): void {
    this.unsigned(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** The end of a payload: a one, then zeros up to the next byte. */
  trailing(): void {
    this.bits(1, 1);
    this.align();
  }

  /** Zeros up to the next byte. */
  align(): void {
    if (this.heldBits > 0) this.bits(0, 8 - this.heldBits);
  }

  /** The whole bytes written so far. */
  toBytes(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Starts anew with the same memory. */
  clear(): void {
    this.length = 0;
    this.held = 0;
    this.heldBits = 0;
  }

  private byte(value: number): void {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(this.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = value;
  }
}

/**
 * A NAL unit: its header byte, then the payload, in which no three bytes may look like a start
 * code (7.4.1.1).
 */
export function nalUnit(header: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + Math.ceil(payload.length * 1.5));
  bytes[0] = header;
  let at = 1;
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes[at++] = 3;
      zeros = 0;
    }
    bytes[at++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return bytes.slice(0, at);
}
