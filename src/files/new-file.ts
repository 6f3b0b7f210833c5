/** Text on its way into a new file, which cannot be had again when it breaks off. */
import type { Clock } from '../lib/clock.js';
import { PartFile } from './part-file.js';

export interface NewFile {
  /** Where the bytes are until `finish`. */
  readonly partPath: string;
  /** Writes follow each other in the order of the calls, whether or not one waits for them. */
  write(text: string): Promise<void>;
  /**
   * Gives the file its name; rejects when the disk could not take it all, or when a file that
   * must not be replaced has come to stand there. What was written then stays in the part file.
   */
  finish(): Promise<void>;
  /** Ends it unfinished: what was written stays in the part file; an empty one goes. */
  abandon(): Promise<{ keptBytes: number }>;
}

/**
 * Opens the part file at once, so that a name that cannot be written is known before money is
 * spent. @throws LocalFileError when the file exists and `replace` is false, or cannot be made.
 */
export async function openNewFile(
  path: string,
  { replace, clock }: { replace: boolean; clock: Clock },
): Promise<NewFile> {
  const file = await PartFile.open({ kind: 'file', path, replace }, { clock });
  let last: Promise<void> = Promise.resolve();
  const append = async (before: Promise<void>, text: string) => {
    await before;
    await file.take(Buffer.from(text, 'utf8'));
    // It is paid for: a kill must lose nothing of it.
    await file.flush();
  };
  return {
    partPath: file.path,
    write: (text) => (last = append(last, text)),
    finish: async () => {
      try {
        await last;
        await file.finish();
      } catch (error) {
        await file.abandon();
        throw error;
      }
    },
    abandon: async () => {
      await last.catch(() => undefined);
      return file.abandon();
    },
  };
}
