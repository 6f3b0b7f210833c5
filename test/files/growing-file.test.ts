import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { GrowingFile, spool } from '../../src/files/growing-file.js';
import { testFolder } from '../helpers/folder.js';

const create = () => GrowingFile.create(join(testFolder(), 'sound'));

it('a growing file returns what is there, and waits for the rest', async () => {
  const file = await create();
  await file.append(Buffer.from('abc'));
  expect((await file.read(1, 10)).toString()).toBe('bc');
  const later = file.read(3, 2);
  await file.append(Buffer.from('def'));
  expect((await later).toString()).toBe('de');
  const end = file.read(6, 1);
  file.finish();
  expect(await end).toHaveLength(0);
  await file.close();
});

it('a growing file returns all bytes before it reports why the rest is missing', async () => {
  const file = await create();
  await file.append(Buffer.from('abc'));
  file.finish(new Error('cut'));
  expect((await file.read(0, 10)).toString()).toBe('abc');
  await expect(file.read(3, 1)).rejects.toThrow('cut');
  await file.close();
});

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

it('a growing file keeps data where nothing remains, however the process ends', async () => {
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

it('a growing file reads no further than its limit, and passes on a failure', async () => {
  vi.stubEnv('TMPDIR', testFolder());
  const file = await spool(pieces(1000), 'sound', 2500);
  expect(file.length).toBe(3000);
  await file.close();
  await expect(spool(pieces(2, new Error('EIO')), 'sound')).rejects.toThrow('EIO');
});
