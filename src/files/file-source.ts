/** A whole file, read from any place. */
import { open } from 'node:fs/promises';
import type { SizedSource } from '../lib/audio/source.js';
import { fileTrouble } from './file-trouble.js';

export interface OpenFile extends SizedSource {
  /** Undefined of one that has no name any more. */
  readonly path?: string;
  close(): Promise<void>;
}

/** @param failed what is said when the system refuses. @throws LocalFileError */
export async function openFile(path: string, failed = `cannot read ${path}`): Promise<OpenFile> {
  const trouble = (cause: unknown) => fileTrouble(cause, failed);
  try {
    const handle = await open(path, 'r');
    const { size } = await handle.stat().catch(async (cause: unknown) => {
      await handle.close();
      throw cause;
    });
    return {
      path,
      length: size,
      read: async (at, maxLength) => {
        // A source may be asked for more than there is, or than memory should hold.
        const length = Math.max(0, Math.min(maxLength, size - at));
        const bytes = Buffer.allocUnsafe(length);
        const { bytesRead } = await handle.read(bytes, 0, length, at).catch((cause: unknown) => {
          throw trouble(cause);
        });
        return bytes.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  } catch (cause) {
    throw trouble(cause);
  }
}

/** Opens several, and closes them when the work is done. */
export async function withFiles<Result>(
  paths: readonly string[],
  work: (files: readonly OpenFile[]) => Promise<Result>,
): Promise<Result> {
  const files: OpenFile[] = [];
  try {
    for (const path of paths) files.push(await openFile(path));
    return await work(files);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}
