/** Input that is read whole: no more than a request could carry. */
import { UsageError } from '../errors.js';
import { formatBytes } from '../lib/amounts.js';
import { GrowingBytes } from '../lib/growing.js';

/** More than any request that the service takes (section 7). */
export const mostBytes = 71_000_000;

/**
 * All of the pieces.
 * @param tooMuch the error for the first piece beyond `mostBytes`; nothing after it is read.
 */
export async function wholeOf(
  pieces: AsyncIterable<unknown>,
  tooMuch: () => Error,
): Promise<Buffer> {
  const bytes = new GrowingBytes();
  for await (const piece of pieces) {
    if (Buffer.isBuffer(piece)) bytes.add(piece);
    if (bytes.length > mostBytes) throw tooMuch();
  }
  return bytes.toBuffer();
}

/** The error for what is longer than `mostBytes`. @param length where it is known. */
export function tooLarge(name: string, length?: number): UsageError {
  const most = formatBytes(mostBytes);
  const words = length === undefined ? `more than ${most}` : formatBytes(length);
  return new UsageError(`${name} is ${words} long; at most ${most} are read`, {
    code: 'file_too_large',
    hint: 'no request takes more; `svc files upload` and `svc embed --lines` read piece by piece',
  });
}
