/** A stream as a store: it can go on, but what it has taken cannot be taken back. */
import { Incomplete } from '../../errors.js';
import type { Store, StreamTarget, Version } from './types.js';

export class StreamStore implements Store {
  bytes = 0;
  version: Version | undefined;
  readonly memory = undefined;

  constructor(private readonly to: StreamTarget) {}

  begin(version: Version): Promise<void> {
    this.version = version;
    if (this.bytes === 0) return Promise.resolve();
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
    return this.to.write(piece);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }
}
