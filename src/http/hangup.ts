/** Keeps an answer that arrived before the other side hung up. */
import type { Socket } from 'node:net';
import { firstCodeOf } from './failure.js';

/**
 * A service that refuses a long body answers and hangs up while it is still being written. The
 * failing write would close the socket and lose the answer that has already arrived: here a write
 * into a hung-up line counts as done, and reading shows what there is, the answer or the end.
 */
export function readOnAfterHangup(socket: Socket): void {
  const forgive =
    (done: (error?: Error | null) => void) =>
    (error?: Error | null): void => {
      done(isHangup(error) ? null : error);
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => {
    write(chunk, encoding, forgive(done));
  };
  const writev = socket._writev?.bind(socket);
  if (writev) {
    socket._writev = (chunks, done) => {
      writev(chunks, forgive(done));
    };
  }
}

function isHangup(error: unknown): boolean {
  const code = firstCodeOf(error);
  return code === 'EPIPE' || code === 'ECONNRESET';
}
