/** What a coding agent has to call, read and pay for its tasks, without the times of bench:agents. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program } from '../../test/bin/package.js';

test('tasks of an agent need three calls, 12,000 bytes and one payment, by tools and by commands', async () => {
  const words = ['bench/agents.mjs', '--no-times', ...(await program())];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words);
  expect(stderr).toBe('');
  expect(stdout.match(/ yes\b/g)).toHaveLength(23);
}, 300_000);
