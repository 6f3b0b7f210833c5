import { readFileSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFile } from '../../src/lib/replace-file.js';
import { testFolder } from '../helpers/folder.js';

/** A system that refuses to rename so many times, as while a virus scanner reads the file. */
function refusing(code: string, times: number): void {
  const { rename } = fs;
  let left = times;
  fs.rename = (from, to) => {
    if (left-- > 0) return Promise.reject(Object.assign(new Error(code), { code }));
    return rename(from, to);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.rename = rename;
    syncBuiltinESMExports();
  });
}

test.each([
  ['EPERM', 'win32', true],
  ['EBUSY', 'win32', true],
  ['ENOENT', 'win32', false],
  ['EPERM', 'linux', false],
] as const)('a rename refused with %s on %s is repeated: %j', async (code, system, isRepeated) => {
  const [from, to] = [join(testFolder(), 'new'), join(testFolder(), 'old')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  refusing(code, 2);
  const done = await replaceFile(from, to, system).then(
    () => true,
    (error: unknown) => error,
  );
  expect(done).toEqual(isRepeated ? true : expect.objectContaining({ code }));
  expect(readFileSync(to, 'utf8')).toBe(isRepeated ? 'new' : 'old');
});
