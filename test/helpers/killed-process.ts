import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { bundleEnv } from './bundle.js';

export interface Killing {
  /** Killed with -9 when it has said so many lines after its first. */
  readonly afterLines?: number;
  /** And so much later. */
  readonly delayMs?: number;
}

/**
 * Runs a script that says when it is ready, waits for a word and then says a line for each thing
 * done.
 * @returns what it has said, line by line, to its end or until it was killed.
 */
export async function linesOf(
  [script, ...args]: readonly [string, ...string[]],
  { afterLines = Infinity, delayMs = 0 }: Killing = {},
): Promise<string[]> {
  const child = spawn(process.execPath, [script, ...args], {
    env: bundleEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  let complaints = '';
  const ended = once(child, 'close');
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (piece: Buffer) => (complaints += piece.toString()));
  child.stdout.on('data', (piece: Buffer) => {
    if (said === '') child.stdin.write('go\n');
    said += piece.toString();
    if (said.split('\n').length - 2 > afterLines) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  await ended;
  expect(complaints).toBe('');
  return said.split('\n');
}
