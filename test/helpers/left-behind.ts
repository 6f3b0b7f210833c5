/** Processes that must not stay behind. */
import { readFileSync } from 'node:fs';
import { expect, vi } from 'vitest';

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

/** What closing its terminal does to svc, but for its own end. */
export function hangUp(): void {
  const send = process.kill.bind(process);
  const kill = vi.spyOn(process, 'kill');
  // The signal itself would end the tests.
  kill.mockImplementation((pid, name) => pid === process.pid || send(pid, name));
  process.emit('SIGHUP');
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGHUP');
  kill.mockRestore();
}
