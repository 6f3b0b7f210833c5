import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LocalFileError } from '../../src/errors.js';
import { openNewFile } from '../../src/files/new-file.js';
import { testFolder } from '../helpers/folder.js';

/** What a promise rejects with, which must be trouble with a file. */
async function troubleOf(promise: Promise<unknown>): Promise<LocalFileError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalFileError);
  if (error instanceof LocalFileError) return error;
  throw new Error('unreachable');
}

describe('a new file', () => {
  test('has its name only once it is whole', async () => {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path, { replace: false });
    await file.write('Привет, ');
    await file.write('🌍\n');
    expect(existsSync(path)).toBe(false);
    expect(file.partPath).toBe(`${path}.part`);
    await file.finish();
    expect(readFileSync(path, 'utf8')).toBe('Привет, 🌍\n');
    expect(existsSync(file.partPath)).toBe(false);
  });

  test('may be empty', async () => {
    const path = join(testFolder(), 'answer.md');
    await (await openNewFile(path, { replace: false })).finish();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('keeps the order of writes that nobody waits for', async () => {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path, { replace: false });
    const pieces = Array.from(
      { length: 500 },
      (_, n) => `${n}:${'x'.repeat((n * 7919) % 20_000)}\n`,
    );
    await Promise.all([...pieces.map((piece) => file.write(piece)), file.finish()]);
    expect(readFileSync(path, 'utf8')).toBe(pieces.join(''));
  });

  test('that is given up keeps what was written beside its name', async () => {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path, { replace: false });
    void file.write('hé');
    expect(await file.abandon()).toEqual({ keptBytes: 3 });
    expect(readFileSync(file.partPath, 'utf8')).toBe('hé');
    expect(existsSync(path)).toBe(false);
  });

  test('that is given up empty leaves nothing', async () => {
    const folder = testFolder();
    const file = await openNewFile(join(folder, 'answer.md'), { replace: false });
    expect(await file.abandon()).toEqual({ keptBytes: 0 });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a name that is taken', () => {
  test('is refused, and what stands there stays', async () => {
    const path = join(testFolder(), 'answer.md');
    writeFileSync(path, 'old');
    const trouble = await troubleOf(openNewFile(path, { replace: false }));
    expect(trouble).toMatchObject({ message: `${path} exists`, code: 'file_exists' });
    expect(trouble.hint).toContain('--force');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  test('is replaced where that is asked for, and only by a whole file', async () => {
    const path = join(testFolder(), 'answer.md');
    writeFileSync(path, 'old');
    const file = await openNewFile(path, { replace: true });
    await file.write('new');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.finish();
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('stays what it was when the replacement is given up', async () => {
    const path = join(testFolder(), 'answer.md');
    writeFileSync(path, 'old');
    const file = await openNewFile(path, { replace: true });
    await file.write('half');
    await file.abandon();
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('is respected also when it was taken meanwhile', async () => {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path, { replace: false });
    await file.write('ours');
    writeFileSync(path, 'theirs');
    const trouble = await troubleOf(file.finish());
    expect(trouble).toMatchObject({ code: 'file_exists' });
    expect(trouble.hint).toContain(file.partPath);
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(readFileSync(file.partPath, 'utf8')).toBe('ours');
  });

  test('by a link that leads nowhere is taken', async () => {
    const folder = testFolder();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'answer.md'));
    const trouble = await troubleOf(openNewFile(join(folder, 'answer.md'), { replace: false }));
    expect(trouble.code).toBe('file_exists');
  });

  test.each([false, true])(
    'by a folder is refused before anything is spent (replace: %s)',
    async (replace) => {
      const path = join(testFolder(), 'folder');
      mkdirSync(path);
      const trouble = await troubleOf(openNewFile(path, { replace }));
      expect(trouble.message).toBe(`cannot write ${path}: it is a folder`);
      expect(existsSync(`${path}.part`)).toBe(false);
    },
  );

  test.each([false, true])(
    'by a device is never replaced by a file (replace: %s)',
    async (replace) => {
      const trouble = await troubleOf(openNewFile('/dev/null', { replace }));
      expect(trouble.message).toBe('cannot write /dev/null: it is no regular file');
      expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    },
  );

  test.each([false, true])('by a pipe or a socket is refused (replace: %s)', async (replace) => {
    const folder = testFolder();
    spawnSync('bash', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
    for (const name of ['pipe', 'socket']) {
      const trouble = await troubleOf(openNewFile(join(folder, name), { replace }));
      expect(trouble.message).toContain('it is no regular file');
    }
  });
});

describe('a name that cannot be written', () => {
  test.each([
    ['none/answer.md', 'there is no such file or folder'],
    ['file/answer.md', 'a part of the path is no folder'],
    ['loop', 'its links lead in a circle'],
    ['x'.repeat(300), 'ENAMETOOLONG'],
  ])('is known at once: %s', async (name, reason) => {
    const folder = testFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('loop.part', join(folder, 'loop.part'));
    const path = join(folder, name);
    expect((await troubleOf(openNewFile(path, { replace: false }))).message).toBe(
      `cannot write ${path}: ${reason}`,
    );
    expect(readdirSync(folder).sort()).toEqual(['file', 'loop.part']);
  });
});

describe('a disk that takes no more', () => {
  /** A new file whose handle fails as `broken` says. */
  async function failing(method: 'writeFile' | 'sync', code: string) {
    const path = join(testFolder(), 'answer.md');
    const file = await openNewFile(path, { replace: false });
    await file.write('good');
    const probe = await (await import('node:fs/promises')).open(path + '.probe', 'w');
    const prototype: unknown = Object.getPrototypeOf(probe);
    await probe.close();
    if (typeof prototype !== 'object' || prototype === null) throw new Error('no handle');
    const original: unknown = Reflect.get(prototype, method);
    Reflect.set(prototype, method, () => Promise.reject(Object.assign(new Error(code), { code })));
    onTestFinished(() => void Reflect.set(prototype, method, original));
    return { path, file };
  }

  test('at a write is trouble with a file, and what came before is kept', async () => {
    const { file } = await failing('writeFile', 'ENOSPC');
    const first = file.write('lost');
    const second = file.write('lost too');
    expect((await troubleOf(first)).message).toBe(
      `cannot write ${file.partPath}: the disk is full`,
    );
    await troubleOf(second);
    expect(await file.abandon()).toEqual({ keptBytes: 4 });
    expect(readFileSync(file.partPath, 'utf8')).toBe('good');
  });

  test('at the end gives the file no name', async () => {
    const { path, file } = await failing('sync', 'EIO');
    const trouble = await troubleOf(file.finish());
    expect(trouble.message).toBe(`cannot write ${path}: the disk reports an error`);
    expect(trouble.hint).toBe(`what was written is in ${file.partPath}`);
    expect(existsSync(path)).toBe(false);
  });

  test('for a write that nobody waited for fails the end', async () => {
    const { path, file } = await failing('writeFile', 'ENOSPC');
    file.write('lost').catch(() => undefined);
    await troubleOf(file.finish());
    expect(existsSync(path)).toBe(false);
  });
});

test('where there are no links a file gets its name all the same', async () => {
  const path = join(testFolder(), 'answer.md');
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => ({
    ...(await original<typeof import('node:fs/promises')>()),
    link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
  }));
  onTestFinished(() => {
    vi.doUnmock('node:fs/promises');
  });
  const { openNewFile: openThere } = await import('../../src/files/new-file.js');
  const file = await openThere(path, { replace: false });
  await file.write('whole');
  await file.finish();
  expect(readFileSync(path, 'utf8')).toBe('whole');
  const second = await openThere(`${path}2`, { replace: false });
  writeFileSync(`${path}2`, 'theirs');
  await expect(second.finish()).rejects.toThrow(`${path}2 exists`);
});
