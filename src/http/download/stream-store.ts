/** A stream as a store: it can go on, but what it has taken cannot be taken back. */
import { Incomplete } from '../../errors.js';
import { kindBytes } from '../../lib/file-kind.js';
import type { Store, StreamTarget, Version } from './types.js';

export class StreamStore implements Store {
  bytes = 0;
  version: Version | undefined;
  readonly memory = undefined;
  /** The first bytes, until there are enough to tell what they are of. */
  #held: Buffer[] | undefined = [];

  constructor(private readonly to: StreamTarget) {}

  begin(version: Version): Promise<void> {
    this.version = version;
    if (this.#held) {
      this.#held = [];
      this.bytes = 0;
      return Promise.resolve();
    }
    return Promise.reject(
      new Incomplete(
        `the file broke off after ${this.bytes} bytes, and its rest is not to be had`,
        {
          code: 'truncated',
          hint: 'write it to a file with -o FILE: that can start anew',
        },
      ),
    );
  }

  take(piece: Buffer): void | Promise<void> {
    this.bytes += piece.length;
    if (!this.#held) return this.to.write(piece);
    this.#held.push(piece);
    if (this.bytes >= kindBytes) return this.flush();
  }

  async flush(): Promise<void> {
    const held = this.#held ?? [];
    if (held.length === 0) return;
    this.#held = undefined;
    await this.to.write(Buffer.concat(held));
  }
}
