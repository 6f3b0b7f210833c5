/** A file that appears under its name only when it is whole: written as NAME.part, then renamed. */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { fileTrouble } from './file-trouble.js';
import { settleAs } from './settle.js';
import { checkName } from './target.js';

export interface NewFile {
  /** Where the bytes are until `finish`. */
  readonly partPath: string;
  /** Writes follow each other in the order of the calls, whether or not one waits for them. */
  write(text: string): Promise<void>;
  /**
   * Gives the file its name; rejects when the disk could not take it all, or when a file that
   * must not be replaced has come to stand there.
   */
  finish(): Promise<void>;
  /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
  abandon(): Promise<{ keptBytes: number }>;
}

/**
 * Opens the part file at once, so that a name that cannot be written is known before money is
 * spent. @throws LocalFileError when the file exists and `replace` is false, or cannot be made.
 */
export async function openNewFile(path: string, options: { replace: boolean }): Promise<NewFile> {
  await checkName(path, options);
  const partPath = `${path}.part`;
  const handle = await opened(partPath, path);
  let bytesWritten = 0;
  let last: Promise<void> = Promise.resolve();
  const append = async (before: Promise<void>, bytes: Buffer) => {
    await before;
    await handle.writeFile(bytes);
    bytesWritten += bytes.length;
  };
  return {
    partPath,
    write: async (text) => {
      last = append(last, Buffer.from(text, 'utf8'));
      try {
        await last;
      } catch (cause) {
        throw fileTrouble(cause, `cannot write ${partPath}`, 'free some space, or write elsewhere');
      }
    },
    finish: async () => {
      try {
        await last;
        await handle.sync();
        await handle.close();
        await settleAs(partPath, { path, ...options });
      } catch (cause) {
        await handle.close().catch(() => undefined);
        throw fileTrouble(cause, `cannot write ${path}`, `what was written is in ${partPath}`);
      }
    },
    abandon: async () => {
      await last.catch(() => undefined);
      await handle.close().catch(() => undefined);
      if (bytesWritten === 0) await rm(partPath, { force: true });
      return { keptBytes: bytesWritten };
    },
  };
}

async function opened(partPath: string, path: string): Promise<FileHandle> {
  try {
    return await open(partPath, 'w');
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}
