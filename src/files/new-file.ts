/** A file that appears under its name only when it is whole: written as NAME.part, then renamed. */
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { LocalFileError } from '../errors.js';
import { codeOf, fileTrouble } from './file-trouble.js';

export interface NewFile {
  /** Where the bytes are until `finish`. */
  readonly partPath: string;
  write(text: string): Promise<void>;
  /** Gives the file its name; rejects when the disk could not take it all. */
  finish(): Promise<void>;
  /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
  abandon(): Promise<{ keptBytes: number }>;
}

/**
 * Opens the part file at once, so that a name that cannot be written is known before money is
 * spent. @throws LocalFileError when the file exists and `replace` is false, or cannot be made.
 */
export async function openNewFile(path: string, options: { replace: boolean }): Promise<NewFile> {
  const there = await whatIsAt(path);
  // A folder cannot be replaced; at the end it would be too late to learn that.
  if (there === 'folder') throw new LocalFileError(`${path} is a folder`, { code: 'is_a_folder' });
  if (there === 'file' && !options.replace) {
    throw new LocalFileError(`${path} exists`, {
      code: 'file_exists',
      hint: 'choose another name, or give --force to replace it',
    });
  }
  const partPath = `${path}.part`;
  const handle = await opened(partPath, path);
  let bytesWritten = 0;
  return {
    partPath,
    write: async (text) => {
      try {
        const bytes = Buffer.from(text, 'utf8');
        await handle.writeFile(bytes);
        bytesWritten += bytes.length;
      } catch (cause) {
        throw fileTrouble(cause, `cannot write ${partPath}`, 'free some space, or write elsewhere');
      }
    },
    finish: async () => {
      try {
        await handle.sync();
        await handle.close();
        await rename(partPath, path);
      } catch (cause) {
        throw fileTrouble(cause, `cannot write ${path}`, `what was written is in ${partPath}`);
      }
    },
    abandon: async () => {
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

async function whatIsAt(path: string): Promise<'file' | 'folder' | 'nothing'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return 'nothing';
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}
