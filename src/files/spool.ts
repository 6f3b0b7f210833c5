/** What comes in pieces, kept on disk until it is used: it may be too large for the memory. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenFile } from './file-source.js';
import { GrowingFile } from './growing-file.js';
import { temporaryFolder } from './temporary-folder.js';

/**
 * Writes the pieces to a file that has no name any more: the system frees its space however this
 * process ends.
 * @param what they are, as one word: `recording`.
 * @param maxBytes they are read no further than to the first piece beyond.
 * @throws LocalFileError, and what the pieces throw.
 */
export async function spool(
  pieces: AsyncIterable<Buffer>,
  what: string,
  maxBytes = Infinity,
): Promise<OpenFile> {
  const folder = await temporaryFolder(what);
  const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const file = await GrowingFile.create(join(folder, what)).finally(remove);
  try {
    for await (const piece of pieces) {
      await file.append(piece);
      if (file.length > maxBytes) break;
    }
    file.finish();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
