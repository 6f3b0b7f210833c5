/** Gives files their names, on Windows too, where an open file cannot be replaced. */
import { link, open, rename, rm } from 'node:fs/promises';
import { platform as thisPlatform } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from './error-code.js';

/** Waits up to a second for another program, such as a virus scanner, to close one of the files. */
export async function replaceFile(
  from: string,
  to: string,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<void> {
  for (let waitMs = 8; ; waitMs *= 2) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isHeld = platform === 'win32' && /^(?:EPERM|EACCES|EBUSY)$/.test(codeOf(error) ?? '');
      if (!isHeld || waitMs > 512) throw error;
      await setTimeout(waitMs);
    }
  }
}

/** The errors of file systems without hard links: FAT (EISDIR on Windows), some network shares. */
const withoutLinks = new Set([
  'EPERM',
  'EISDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
]);

/** False when the name is taken. Of several at once, one gets it. @throws what the system says. */
export async function giveNewName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch(async (error: unknown) => {
      if (!withoutLinks.has(codeOf(error) ?? '')) throw error;
      // There an empty file takes the name first, which the complete one then replaces.
      await (await open(to, 'wx')).close();
      await replaceFile(from, to);
    });
    await rm(from, { force: true });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
