/** The folders of tests are in memory where there is enough of it: most tests wait for the disk. */
import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** For what outlasts a run. */
    disk?: string;
  }
}

const memory = '/dev/shm';
const enoughBytes = 4 * 1024 ** 3;

export default function useMemory({ provide }: TestProject): (() => Promise<void>) | undefined {
  provide('disk', tmpdir());
  if (!existsSync(memory)) return undefined;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < enoughBytes) return undefined;
  const folder = mkdtempSync(`${memory}/svc-`);
  // The processes of the tests inherit it.
  process.env['TMPDIR'] = folder;
  // A process that is ending may still write into it.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}
