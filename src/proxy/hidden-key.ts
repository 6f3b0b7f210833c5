/** Takes the account's key out of what the proxy passes on, wherever pieces are cut. */
import { formsOf } from '../lib/secret-places.js';

/** What the key looks like as it is, percent-encoded, in JSON and within base64. */
export const formsOfKey = (key: string): readonly Buffer[] =>
  [...new Set(formsOf(key))].map((form) => Buffer.from(form, 'latin1'));

/** Stars, as many as the key is long: a stated length stays true. */
export class HiddenKey {
  /** What ends a piece and may be the beginning of the key. */
  #held = Buffer.alloc(0);

  /** @param forms of `formsOfKey` */
  constructor(private readonly forms: readonly Buffer[]) {}

  text(text: string): string {
    return this.whole(Buffer.from(text, 'latin1')).toString('latin1');
  }

  /** What may be passed on now. */
  piece(piece: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, piece]) : piece;
    const clean = this.whole(bytes);
    const end = clean.length - Math.max(...this.forms.map((form) => begunLength(clean, form)));
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
    let clean = bytes;
    for (const form of this.forms) {
      for (let at = clean.indexOf(form); at >= 0; at = clean.indexOf(form, at)) {
        if (clean === bytes) clean = Buffer.from(bytes);
        clean.fill('*', at, at + form.length);
      }
    }
    return clean;
  }
}

/** How many of the last bytes are the beginning of the key in this form. */
function begunLength(bytes: Buffer, form: Buffer): number {
  const first = form[0] ?? 0;
  const from = Math.max(0, bytes.length - form.length + 1);
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(form, 0, length, at) === 0) return length;
  }
  return 0;
}
