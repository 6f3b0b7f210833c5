/** Files as request bodies: read as they are sent, through two buffers, however large they are. */
import { open, type FileHandle } from 'node:fs/promises';
import type { StreamedBody } from './types.js';

/** A multiple of three, so that pieces in base64 join without padding. */
export const pieceBytes = 192 * 1024;

/** @param length how many bytes the file has; the sending fails when it turns out otherwise. */
export function fileBody(path: string, length: number): StreamedBody {
  return { length, open: () => filePieces(path), path };
}

/**
 * The bytes of a file. The next piece is read while one is used, and a piece is overwritten once
 * the next but one is asked for; all but the last are `pieceBytes` long.
 */
export async function* filePieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  let reading: Promise<Buffer> | undefined;
  try {
    let [free, used] = [Buffer.allocUnsafe(pieceBytes), Buffer.allocUnsafe(pieceBytes)];
    reading = readPiece(handle, free);
    while (reading) {
      const piece: Buffer = await reading;
      [free, used] = [used, free];
      reading = piece.length < pieceBytes ? undefined : readPiece(handle, free);
      if (piece.length > 0) yield piece;
    }
  } finally {
    await reading?.catch(() => undefined);
    await handle.close();
  }
}

/** Fills the buffer as far as the file goes. */
function readPiece(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  const filling = fill(handle, buffer);
  // Nobody may be waiting yet when it fails; whoever waits later is told.
  filling.catch(() => undefined);
  return filling;
}

async function fill(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
