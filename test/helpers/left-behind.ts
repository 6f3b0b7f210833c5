/** Processes that must not stay behind. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export function isAlive(pid: string): boolean {
  try {
    // A dead process may wait for its parent to notice.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export const gone = (pid: string) =>
  expect.poll(() => isAlive(pid), { timeout: 10_000, interval: 5 }).toBe(false);

/** What runs at the end of svc, and did not before: call it, and svc has ended. */
export function endOfSvc() {
  const before = process.listeners('exit');
  return {
    added: () => process.listeners('exit').filter((one) => !before.includes(one)),
    end(): void {
      for (const listener of this.added()) listener.call(process, 0);
    },
  };
}
