import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { voice } from '../../src/contract/limits.js';
import { readBytes, readText, maxRequestBytes } from '../../src/files/named-file.js';
import { testFolder } from '../helpers/folder.js';

it('a named file is read unchanged, with its byte order mark on request', async () => {
  const path = join(testFolder(), 'a.txt');
  writeFileSync(path, '\ufeffПривет 🌍\r\n');
  expect(await readText(path)).toBe('Привет 🌍\r\n');
  expect(await readText(path, '--file', { keepsMark: true })).toBe('\ufeffПривет 🌍\r\n');
  expect(await readBytes(path)).toEqual(Buffer.from('\ufeffПривет 🌍\r\n'));
});

it('a named file is read as PowerShell 5 writes it: in UTF-16, with its mark', async () => {
  const path = join(testFolder(), 'a.txt');
  writeFileSync(path, '\ufeffПривет 🌍\r\n', 'utf16le');
  expect(await readText(path)).toBe('Привет 🌍\r\n');
});

it.skipIf(process.platform === 'win32')(
  'is no named pipe, which may never be written',
  async () => {
    const path = join(testFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    await expect(readBytes(path, '--file')).rejects.toMatchObject({
      name: 'UsageError',
      message: `--file: ${path} is not a regular file; pipe it in and use -`,
    });
  },
);

it.runIf(existsSync('/dev/zero'))(
  'a named file is read no further than a request could be long',
  async () => {
    await expect(readBytes('/dev/zero', '--attach')).rejects.toMatchObject({
      name: 'UsageError',
      message: '--attach: /dev/zero is more than 71.0 MB long; the limit is 71.0 MB',
    });
    expect(maxRequestBytes).toBeGreaterThanOrEqual(voice.bodyBytes);
  },
);
