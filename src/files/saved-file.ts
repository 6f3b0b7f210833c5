/** Whether a file written by svc is still there, unchanged. */
import { createHash } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';

export interface Print {
  readonly bytes: number;
  readonly sha256: string;
}

export interface SavedBytes extends Omit<Print, 'sha256'> {
  readonly path: string;
  readonly sha256?: string;
}

/** A longer file is known by its two ends and its length: reading all of it takes long. */
const maxHashedBytes = 64 * 1024 * 1024;
const endBytes = 8 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

export async function printOf(file: FileHandle): Promise<Print> {
  const { size: bytes } = await file.stat();
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, bytes));
  const add = async (from: number, to: number) => {
    for (let at = from; at < to;) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, to - at), at);
      if (bytesRead === 0) return;
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
  };
  if (bytes <= maxHashedBytes) await add(0, bytes);
  else {
    await add(0, endBytes);
    await add(bytes - endBytes, bytes);
    hash.update(String(bytes));
  }
  return { bytes, sha256: hash.digest('hex') };
}

export async function isStillWhole({ path, bytes, sha256 }: SavedBytes): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (sha256 === undefined || !stats?.isFile() || stats.size !== bytes) return false;
  const file = await open(path).catch(() => undefined);
  try {
    return file !== undefined && (await printOf(file)).sha256 === sha256;
  } finally {
    await file?.close();
  }
}
