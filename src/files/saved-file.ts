/** A file that svc wrote, and whether it is still there as it was. */
import { stat } from 'node:fs/promises';

export interface SavedBytes {
  readonly path: string;
  readonly bytes: number;
}

/** Whether a file that was written before is still there, whole. */
export async function isStillWhole({ path, bytes }: SavedBytes): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === bytes;
}
