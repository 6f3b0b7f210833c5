/** Sources that are at hand already. */
import type { ByteSource } from './types.js';

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return {
    byteLength: bytes.byteLength,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/** A stretch of a source, a piece at a time. */
export async function* pieces(
  source: ByteSource,
  from = 0,
  to = source.byteLength,
  pieceBytes = 64 * 1024,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const piece = await source.read(at, Math.min(pieceBytes, to - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

/** A view of bytes that reads numbers. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
