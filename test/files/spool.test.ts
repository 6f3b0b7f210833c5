import { readdirSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { spool } from '../../src/files/growing-file.js';
import { testFolder } from '../helpers/folder.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function* pieces(count: number, failure?: Error): AsyncGenerator<Buffer> {
  for (let nth = 0; nth < count; nth += 1) {
    await Promise.resolve();
    yield Buffer.alloc(1000, nth);
  }
  if (failure) throw failure;
}

it('keeps what comes where nothing stays, whatever ends the process', async () => {
  const folder = testFolder();
  vi.stubEnv('TMPDIR', folder);
  const file = await spool(pieces(3), 'sound');
  // It has no name while it is still in use.
  expect(readdirSync(folder)).toEqual([]);
  expect(file.length).toBe(3000);
  expect((await file.read(2000, 5000)).equals(Buffer.alloc(1000, 2))).toBe(true);
  expect(await file.read(3000, 1)).toHaveLength(0);
  await file.close();
});

it('reads no further than it is told, and passes a failure on', async () => {
  vi.stubEnv('TMPDIR', testFolder());
  const file = await spool(pieces(1000), 'sound', 2500);
  expect(file.length).toBe(3000);
  await file.close();
  await expect(spool(pieces(2, new Error('EIO')), 'sound')).rejects.toThrow('EIO');
});
