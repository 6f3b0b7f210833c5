/** Bytes that are read in pieces, from any place: a file, or one that is still being written. */
export interface ByteSource {
  /**
   * The bytes from a place on: at most `maxLength`, at least one, none at the end. They are the
   * reader's to keep. Rejects when what is missing will not come.
   */
  read(at: number, maxLength: number): Promise<Buffer>;
}

/** One that is whole. */
export interface SizedSource extends ByteSource {
  readonly length: number;
}

const pieceBytes = 64 * 1024;

/** So many bytes from a place on; fewer only where the source ends. */
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

/** The bytes from one place to another, or to the end, as they can be had. */
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

/** The bytes of memory as a source. */
export function bufferSource(bytes: Buffer): SizedSource {
  return {
    length: bytes.length,
    read: (at, maxLength) => Promise.resolve(bytes.subarray(at, at + maxLength)),
  };
}
