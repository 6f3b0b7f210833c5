/** Renames files, on Windows too, where an open file cannot be replaced. */
import { rename } from 'node:fs/promises';
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
