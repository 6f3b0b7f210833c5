import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { killAll, startProgram } from '../../src/tools/child.js';
import { wordsIn } from '../../src/lib/names.js';
import { testFolder } from '../helpers/folder.js';

test('a program is ended on Windows with its children, by taskkill', async () => {
  const folder = testFolder();
  const asked = join(folder, 'asked');
  const script = `#!/bin/sh\necho "$*" > ${asked}.new; mv ${asked}.new ${asked}\n`;
  writeFileSync(join(folder, 'taskkill'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
  const child = startProgram(process.execPath, ['-e', 'process.stdin.resume()'], process.env);
  try {
    killAll(child, 'win32');
    await vi.waitUntil(() => existsSync(asked));
    expect(readFileSync(asked, 'utf8')).toBe(`/pid ${String(child.pid)} /t /f\n`);
  } finally {
    vi.unstubAllEnvs();
    killAll(child);
  }
});

test.each([
  ['win32', 'C:\\t\\s.exe -r "C:\\my files"', ['C:\\t\\s.exe', '-r', 'C:\\my files']],
  ['win32', "'C:\\a b\\s.cmd' x", ['C:\\a b\\s.cmd', 'x']],
  ['linux', 'a\\ b c', ['a b', 'c']],
] as const)('on %s the command line of a server %s has its words', async (system, line, words) => {
  expect(await wordsIn(line, system)).toEqual(words);
});
