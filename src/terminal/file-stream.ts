/** stdout as a file. */
import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/**
 * A stream that writes to a file until all is written. Node's own takes the first answer of the
 * system for the last: where a disk fills up, the end of the output is lost without a word.
 */
export function fileStream(fd: number): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      done();
    },
  });
}

/** Whether a descriptor is a file, not a terminal, a pipe or a device. */
export function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
