import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate } from '../../helpers/gate.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { recording, talker } from './talker.js';

const speakTo = (path: string, text = 'hi') => ['speak', '-m', 'v', '-o', path, '--', text];

it('a file that cannot be made is told of before anything is asked for', async () => {
  const at = await talker();
  const path = at.path(`${'a'.repeat(248)}.wav`);
  expect(await at.svc(speakTo(path))).toMatchObject({
    code: 11,
    stdout: '',
    stderr: `error: cannot write ${path}: ENAMETOOLONG\n`,
  });
  expect(at.requests).toEqual([]);
});

it.runIf(canMount)('so is a disk that is full', async () => {
  const at = await talker();
  const disk = smallDisk(8);
  writeFileSync(join(disk, 'all of it'), Buffer.alloc(8192));
  const path = join(disk, 'a.wav');
  const result = await at.svc(speakTo(path));
  expect(result.code).toBe(11);
  expect(result.stderr).toBe(`error: cannot write ${path}: the disk is full\n`);
  expect(at.requests).toEqual([]);
});

it('a folder that goes away meanwhile gives the answer up, which may have been charged', async () => {
  const at = await talker();
  const folder = at.path('out');
  mkdirSync(folder);
  const closed = gate();
  at.instead = (_request, response) => {
    rmSync(folder, { recursive: true });
    response.on('close', closed.open);
    response.writeHead(200, { 'content-type': 'audio/wav' });
    // The rest never comes.
    response.write(recording('hi'));
    return true;
  };
  const result = await at.svc(speakTo(join(folder, 'a.wav')));
  expect(result.code).toBe(11);
  expect(result.stderr).toContain('it may have been charged: `svc usage list` shows it\n');
  // Nothing that is still open keeps the process alive.
  await closed.opened;
});
