/** Runs a program that reads or makes the files of a release. */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { expect } from 'vitest';

/** What a program prints to stdout; stderr stays empty. */
export function print(
  program: string,
  words: readonly string[],
  options: SpawnSyncOptions = {},
): string {
  const ended = spawnSync(program, words, { ...options, encoding: 'utf8', maxBuffer: 2 ** 26 });
  expect({ program, status: ended.status, stderr: ended.stderr }).toEqual({
    program,
    status: 0,
    stderr: '',
  });
  return ended.stdout;
}

/** A man page as `man` shows it, in lines of any length; groff has nothing to warn about. */
export function renderMan(folder: string, name: string): string {
  const words = ['-man', '-ww', '-Tutf8', '-P-cbou', '-rLL=999n', `${name}.1`];
  return print('groff', words, { cwd: folder });
}
