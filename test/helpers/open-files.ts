/**
 * After each test file: a file that nobody closed is found when its handle is collected. That ends
 * a process on the newest Node, and is a mere warning on the oldest.
 */
import { setImmediate } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';

const left: string[] = [];
process.on('warning', ({ message }) => {
  if (message.includes('on garbage collection')) left.push(message);
});

afterAll(async () => {
  await setImmediate();
  globalThis.gc?.();
  await setImmediate();
  expect(left, 'files were left open').toEqual([]);
});
