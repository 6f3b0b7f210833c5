import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRecord } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { wav } from './scene.js';

it('a voice lives offline from its making to its end, and its price is taken', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', ...line], { home });
  const file = (name: string, bytes: Buffer) => {
    const path = join(home, name);
    writeFileSync(path, bytes);
    return path;
  };
  const [one, other] = [
    file('one.wav', wav({ seconds: 20 })),
    file('other.mp3', mp3({ frames: 400 })),
  ];

  const create = ['voices', 'create', 'narrator', one, other, '--engine', 'extvoice', '--consent'];
  const made = await svc(...create);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/^voice_[A-Za-z0-9]{20}\n$/);
  const id = made.stdout.trim();
  const balance: unknown = JSON.parse((await svc('balance', '--json')).stdout);
  expect(isRecord(balance) && balance['balance_rub']).toBeLessThan(1000);

  const listed = await svc('voices', 'list');
  expect(listed.stdout.split('\t').slice(0, 4)).toEqual([id, 'narrator', 'extvoice', 'active']);

  const more = await svc('voices', 'add-samples', 'Narrator', file('more.wav', wav()));
  expect(more).toMatchObject({ code: 0 });
  expect(more.stderr).toMatch(/^narrator: added 1, it has 3 recordings now of 32\.4\d s\n$/);

  const standard = await svc('voices', 'create', 'plain', one, '--consent');
  const extended = await svc('voices', 'add-samples', standard.stdout.trim(), one);
  expect(extended.code).toBe(2);

  expect(await svc('voices', 'delete', 'narrator', '--yes')).toMatchObject({ code: 0 });
  expect((await svc('voices', 'delete', 'narrator', '--yes')).code).toBe(2);
  expect((await svc('voices', 'list')).stdout).not.toContain(id);
}, 20_000);

it('a supplier that refuses more recordings is told with exit code 6, and may be tried again', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', ...line], { home });
  const path = join(home, 'three.wav');
  writeFileSync(path, wav({ seconds: 3 }));
  const name = 'narrator:refusing';
  const made = await svc('voices', 'create', name, path, '--engine', 'extvoice', '--consent');
  expect(made.code).toBe(0);
  const before = await svc('voices', 'list');
  const result = await svc('voices', 'add-samples', name, path, '--json');
  expect(result).toMatchObject({ code: 6, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { exit: 6, status: 502, code: 'voice_samples_failed', hint: 'run it again in a moment' },
  });
  expect(await svc('voices', 'list')).toEqual(before);
});
