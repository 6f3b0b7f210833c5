/** Where the bytes of a download go. */
import { Incomplete } from '../../errors.js';
import type { PartFile } from '../../files/part-file.js';
import type { Store, StreamTarget, Version } from './types.js';

/** A part file, which can start anew. @param sourceId what the link leads to. */
export function fileStore(file: PartFile, sourceId: string): Store {
  return {
    get bytes() {
      return file.bytes;
    },
    get version() {
      return file.source;
    },
    memory: file.memory,
    begin: (version) => file.begin({ ...version, id: sourceId }),
    take: (piece) => file.take(piece),
    flush: () => file.flush(),
  };
}

/** A stream: what it has taken cannot be taken back, so that it can go on, but not start anew. */
export function streamStore({ write }: StreamTarget): Store {
  let bytes = 0;
  let current: Version | undefined;
  return {
    get bytes() {
      return bytes;
    },
    get version() {
      return current;
    },
    memory: undefined,
    begin: (version) => {
      if (bytes > 0) {
        return Promise.reject(
          new Incomplete(`the file broke off after ${bytes} bytes, and its rest is not to be had`, {
            code: 'truncated',
            hint: 'write it to a file with -o FILE: that can start anew',
          }),
        );
      }
      current = version;
      return Promise.resolve();
    },
    take: (piece) => {
      bytes += piece.length;
      return write(piece);
    },
    flush: () => Promise.resolve(),
  };
}
