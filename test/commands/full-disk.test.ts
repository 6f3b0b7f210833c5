/** A disk with no room for a result, noticed before it is paid for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkRoom } from '../../src/files/target.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';
import { canMount, smallDisk } from '../helpers/small-disk.js';

function fullDisk(leftKibibytes: number): string {
  const folder = smallDisk(256);
  writeFileSync(join(folder, 'rest'), Buffer.alloc((256 - leftKibibytes) * 1024));
  return folder;
}

describe.runIf(canMount)('a full disk', () => {
  it.each([
    ['generate -m v -p prompt', ['generate', 'v', 'a prompt']],
    ['image create', ['image', 'create', '-m', 'v', 'a prompt']],
    ['jobs download', ['jobs', 'download', 'job_1']],
  ])('is told by %s before anything is sent', async (_, line) => {
    const service = await fakeService(json({ error: { message: 'no' } }, 500));
    for (const left of [0, 60]) {
      const folder = fullDisk(left);
      const { env } = service;
      for (const output of [`${folder}/`, join(folder, 'a.png'), join(folder, '{job}.{ext}')]) {
        const result = await run([...line, '-o', output], { env, tty: { stdin: true } });
        expect(result).toMatchObject({ code: 11, stdout: '' });
        expect(result.stderr).toMatch(
          new RegExp(
            `^error: the disk of ${folder}/? is full \\(.* left\\); nothing was sent\nhint: `,
          ),
        );
      }
    }
    expect(service.requests).toEqual([]);
  });

  it('with room left is none', async () => {
    await checkRoom({ kind: 'folder', folder: fullDisk(64) });
  });
});

it('a file system that has no size to tell is not taken for full', async () => {
  await checkRoom({ kind: 'folder', folder: '/proc' });
  await checkRoom({ kind: 'folder', folder: '/no/such/folder' });
});
