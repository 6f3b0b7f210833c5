/** Files as request bodies: read as they are sent, through one buffer, however large they are. */
import { open } from 'node:fs/promises';
import type { StreamedBody } from './types.js';

/** A multiple of three, so that pieces in base64 join without padding. */
export const pieceBytes = 192 * 1024;

/** @param length how many bytes the file has; the sending fails when it turns out otherwise. */
export function fileBody(path: string, length: number): StreamedBody {
  return { length, open: () => filePieces(path) };
}

/**
 * The bytes of a file. Each piece is overwritten by the next; all but the last are `pieceBytes`
 * long.
 */
export async function* filePieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      let filled = 0;
      while (filled < pieceBytes) {
        const { bytesRead } = await handle.read(buffer, filled, pieceBytes - filled, null);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield buffer.subarray(0, filled);
      if (filled < pieceBytes) return;
    }
  } finally {
    await handle.close();
  }
}
