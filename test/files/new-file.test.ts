import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LocalFileError } from '../../src/errors.js';
import { PartFile } from '../../src/files/part-file.js';
import { testFolder } from '../helpers/folder.js';
import { rejection } from '../http/rig.js';
import { canMount, smallDisk } from '../helpers/small-disk.js';

function openNewFile(path: string, replace = false) {
  return PartFile.open({ kind: 'file', path, replace });
}

/** What a promise rejects with, which must be trouble with a file. */
async function troubleOf(promise: Promise<unknown>): Promise<LocalFileError> {
  const error = await rejection(promise);
  if (error instanceof LocalFileError) return error;
  throw error;
}

test('a name that is taken is refused, and the existing file stays', async () => {
  const path = join(testFolder(), 'answer.md');
  writeFileSync(path, 'old');
  const trouble = await troubleOf(openNewFile(path));
  expect(trouble).toMatchObject({ message: `${path} exists`, code: 'file_exists' });
  expect(trouble.hint).toContain('--force');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(existsSync(`${path}.part`)).toBe(false);
});

test('one that another writes is refused, and that one gets its name', async () => {
  const path = join(testFolder(), 'answer.md');
  const first = await openNewFile(path);
  await first.write('Привет, ');
  expect(await troubleOf(openNewFile(path))).toMatchObject({
    message: `another svc is writing ${path}.part`,
    hint: 'wait for it, or choose another name',
  });
  await first.write('🌍\n');
  await first.finish();
  expect(readFileSync(path, 'utf8')).toBe('Привет, 🌍\n');
  expect(readdirSync(join(path, '..'))).toEqual(['answer.md']);
});

test('the leftovers of an earlier run are never overwritten', async () => {
  const path = join(testFolder(), 'answer.md');
  const cut = await openNewFile(path, true);
  await cut.write('paid for');
  await cut.abandon();
  const next = await openNewFile(path, true);
  expect(next.partPath).toBe(join(path, '../answer-2.md.part'));
  await next.write('whole');
  await next.finish();
  expect(readFileSync(path, 'utf8')).toBe('whole');
  expect(readFileSync(cut.partPath, 'utf8')).toBe('paid for');
  expect(readdirSync(join(path, '..')).sort()).toEqual(['answer.md', 'answer.md.part']);
});

describe('a full disk', () => {
  test.skipIf(!canMount)('keeps what came before, and says so', async () => {
    const path = join(smallDisk(16), 'answer.md');
    const file = await openNewFile(path);
    await file.write('good');
    const first = file.write('x'.repeat(20_000));
    const second = file.write('lost too');
    expect(await troubleOf(first)).toMatchObject({
      message: `cannot write ${file.partPath}: the disk is full`,
      hint: 'free some space, then run it again',
    });
    await troubleOf(second);
    await troubleOf(file.finish());
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(file.partPath, 'utf8')).toMatch(/^goodx*$/);
  });

  test.skipIf(!canMount)('for a part file is known before anything is spent', async () => {
    const folder = smallDisk(8);
    expect(() => {
      writeFileSync(join(folder, 'full'), Buffer.alloc(20_000));
    }).toThrow('ENOSPC');
    const path = join(folder, 'answer.md');
    const { message } = await troubleOf(openNewFile(path));
    expect(message).toBe(`cannot write ${path}: the disk is full`);
    expect(readdirSync(folder)).toEqual(['full']);
  });

  test('at the end gives the file no name', async () => {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path);
    await file.write('good');
    const probe = await open(`${path}.probe`, 'w');
    const prototype: unknown = Object.getPrototypeOf(probe);
    await probe.close();
    if (typeof prototype !== 'object' || prototype === null) throw new Error('no handle');
    const original: unknown = Reflect.get(prototype, 'datasync');
    const failing = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    Reflect.set(prototype, 'datasync', failing);
    onTestFinished(() => void Reflect.set(prototype, 'datasync', original));
    const trouble = await troubleOf(file.finish());
    expect(trouble.message).toBe(`cannot write ${file.partPath}: the disk reports an error`);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(file.partPath, 'utf8')).toBe('good');
  });
});

test('a file gets its name even without hard links', async () => {
  const path = join(testFolder(), 'answer.md');
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => ({
    ...(await original<typeof import('node:fs/promises')>()),
    link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
  }));
  onTestFinished(() => {
    vi.doUnmock('node:fs/promises');
  });
  const { PartFile: There } = await import('../../src/files/part-file.js');
  const openThere = (name: string) => There.open({ kind: 'file', path: name, replace: false });
  const file = await openThere(path);
  await file.write('whole');
  await file.finish();
  expect(readFileSync(path, 'utf8')).toBe('whole');
  const second = await openThere(`${path}2`);
  writeFileSync(`${path}2`, 'theirs');
  await expect(second.finish()).rejects.toThrow(`${path}2 exists`);
  const third = await openThere(`${path}3`);
  expect(third.partPath).toBe(`${path}3.part`);
  expect(await third.abandon()).toEqual({ keptBytes: 0 });
});
