/** A folder of one's own among those of the system for what is not to stay. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTrouble } from './file-trouble.js';

/**
 * Makes a new one; who asks for it removes it.
 * @param what is kept in it, as one word: `speech`.
 * @throws LocalFileError
 */
export async function temporaryFolder(what: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `svc-${what}-`));
  } catch (cause) {
    const failed = `cannot keep the ${what} in ${tmpdir()}`;
    throw fileTrouble(cause, failed, 'set TMPDIR to another folder');
  }
}
