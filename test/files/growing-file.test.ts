import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GrowingFile } from '../../src/files/growing-file.js';
import { testFolder } from '../helpers/folder.js';

const create = () => GrowingFile.create(join(testFolder(), 'sound'));

it('gives what is there, and waits for what is not', async () => {
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

it('gives all that came before it says why the rest will not come', async () => {
  const file = await create();
  await file.append(Buffer.from('abc'));
  file.finish(new Error('cut'));
  expect((await file.read(0, 10)).toString()).toBe('abc');
  await expect(file.read(3, 1)).rejects.toThrow('cut');
  await file.close();
});

it('takes no name that is taken, and goes when it is removed', async () => {
  const path = join(testFolder(), 'sound');
  const file = await GrowingFile.create(path);
  await expect(GrowingFile.create(path)).rejects.toThrow('cannot write');
  await file.remove();
  expect(existsSync(path)).toBe(false);
});
