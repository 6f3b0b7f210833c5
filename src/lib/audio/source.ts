/** Bytes read in pieces from any position: a file, even one that is still being written. */
export interface ByteSource {
  /** At least one byte, none at the end. Rejects when some will not arrive. */
  read(at: number, maxLength: number): Promise<Buffer>;
}

export interface SizedSource extends ByteSource {
  readonly length: number;
}

const pieceBytes = 64 * 1024;

/** Exactly this many bytes; fewer only where the source ends. */
export async function exactly(source: ByteSource, at: number, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let filled = 0;
  while (filled < length) {
    const piece = await source.read(at + filled, length - filled);
    if (piece.length === 0) break;
    pieces.push(piece);
    filled += piece.length;
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

/** The bytes from one position to another, or to the end, as they become available. */
export async function* span(
  source: ByteSource,
  from: number,
  to = Infinity,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to;) {
    const piece = await source.read(at, Math.min(pieceBytes, to - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

export function bufferSource(bytes: Buffer): SizedSource {
  return {
    length: bytes.length,
    read: (at, maxLength) => Promise.resolve(bytes.subarray(at, at + maxLength)),
  };
}
