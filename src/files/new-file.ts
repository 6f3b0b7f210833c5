/** A file that appears under its name only when it is whole: written as NAME.part, then renamed. */
import { link, lstat, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { LocalFileError } from '../errors.js';
import { codeOf, fileTrouble } from './file-trouble.js';

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
  await refuseTaken(path, options.replace);
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
        await (options.replace ? rename(partPath, path) : nameAnew(partPath, path));
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

/** Refuses a name that stands for something else than a file, or for a file that must stay. */
async function refuseTaken(path: string, replace: boolean): Promise<void> {
  const kind = await kindOf(path);
  if (kind === 'folder') {
    throw new LocalFileError(`cannot write ${path}: it is a folder`, { code: 'local_file' });
  }
  // A rename would put a file in the place of a device.
  if (kind === 'other') {
    throw new LocalFileError(`cannot write ${path}: it is no regular file`, {
      code: 'local_file',
      hint: `write to stdout and redirect it: > ${path}`,
    });
  }
  if (kind === 'file' && !replace) throw fileExists(path, 'or give --force to replace it');
}

/** What stands under a name; a link that leads nowhere is a file too. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const found = await stat(path).catch(() => lstat(path));
    if (found.isDirectory()) return 'folder';
    return found.isFile() || found.isSymbolicLink() ? 'file' : 'other';
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}

/** Renames, but never over a file that has come to stand there meanwhile. */
async function nameAnew(partPath: string, path: string): Promise<void> {
  try {
    await link(partPath, path);
  } catch (cause) {
    const kept = `what was written is in ${partPath}`;
    if (codeOf(cause) === 'EEXIST') throw fileExists(path, kept);
    // Some disks know no links.
    if (await kindOf(path)) throw fileExists(path, kept);
    await rename(partPath, path);
    return;
  }
  await rm(partPath, { force: true });
}

function fileExists(path: string, orElse: string): LocalFileError {
  return new LocalFileError(`${path} exists`, {
    code: 'file_exists',
    hint: `choose another name, ${orElse}`,
  });
}
