/**
 * After each test file: no file of a test's folder is still open (save databases, which close with
 * the process), and no secret is remembered.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';
import { forgetSecrets } from '../../src/lib/redact.js';

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      const isLeft =
        path.startsWith(tmpdir()) && !/(\.db|\.sqlite|lock)(-\w+)?( \(deleted\))?$/.test(path);
      return isLeft ? [path] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

afterAll(async () => {
  forgetSecrets();
  if (process.platform !== 'linux') return;
  for (let wait = 0; wait < 10 && openFiles().length > 0; wait += 1) await setTimeout(5);
  expect(openFiles(), 'files were left open').toEqual([]);
});
