import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it, test } from 'vitest';
import { png } from '../helpers/fake-media.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { fails, run } from '../helpers/run.js';
import { scene } from './generate/scene.js';

it('svc openapi prints the description of the embedded service', async () => {
  for (const line of ['--local openapi', '--local openapi --json']) {
    const result = await run(line);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({
      openapi: '3.0.3',
      info: { version: '1.0.0' },
      paths: { '/v1/chat/completions': { post: {} }, '/v1/models/{id}': { get: {} } },
    });
  }
});

it('svc openapi prints what the service has, whatever its shape', async () => {
  for (const value of [{ openapi: '3.1.0', 'x-new': [null] }, []]) {
    const service = await fakeService(json(value));
    const result = await run('openapi', { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual(value);
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/api/openapi' }]);
  }
});

it('svc openapi goes to a file with -o, whole or not at all', async () => {
  const folder = testFolder();
  const path = join(folder, 'openapi.json');
  const service = await fakeService(json({ openapi: '3.0.3' }));
  const { env } = service;
  const result = await run(['openapi', '-o', path], { env });
  expect(result).toMatchObject({ code: 0, stdout: '', stderr: `wrote ${path}\n` });
  expect(readFileSync(path, 'utf8')).toBe('{\n  "openapi": "3.0.3"\n}\n');

  expect(await run(['openapi', '-o', path], { env })).toMatchObject({ code: 11, stdout: '' });
  expect(service.requests).toHaveLength(1);
  expect(await run(['openapi', '-o', path, '--force'], { env })).toMatchObject({ code: 0 });

  const failing = await fakeService(json({ error: 'no' }, 401));
  const other = join(folder, 'other.json');
  expect(await run(['openapi', '-o', other], { env: failing.env })).toMatchObject({ code: 4 });
  expect(readdirSync(folder)).toEqual(['openapi.json']);
});

test.each([
  ['bash', 'svc.bash'],
  ['zsh', '_svc'],
  ['fish', 'svc.fish'],
  ['powershell', 'svc.ps1'],
])('svc completion %s prints the script and nothing else', async (shell, file) => {
  const { stdout, stderr, code } = await run(`completion ${shell}`);
  expect(stdout).toBe(readFileSync(`${import.meta.dirname}/../../completions/${file}`, 'utf8'));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('another shell is refused, naming the supported ones', async () => {
  expect(await run('completion tcsh')).toMatchObject(fails(2, 'bash, zsh, fish, powershell'));
});

it('svc files upload prints the id alone, of a file and of stdin', async () => {
  const at = await scene();
  const path = join(at.folder, 'a.png');
  writeFileSync(path, png);
  const done = (id: string) => ({ code: 0, stdout: `${id}\n`, stderr: '' });
  expect(await at.svc(['files', 'upload', path])).toMatchObject(done('file_1'));
  expect(await at.svc('files upload -', { stdin: png })).toMatchObject(done('file_2'));
  expect(at.media.uploads).toHaveLength(2);
  expect(at.media.uploads[0]?.toString()).toContain('filename="a.png"');
});

it('svc files upload gives the file the requested name, and shows the answer with --json', async () => {
  const at = await scene();
  const result = await at.svc('files upload - --name cat.png --json', { stdin: png });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual({ id: 'file_1' });
  expect(at.media.uploads[0]?.toString()).toContain('filename="cat.png"');
});

it('svc files upload gives an id that a job takes, offline', async () => {
  const at = await scene();
  const picture = PNG.sync.write(new PNG({ width: 40, height: 30 }));
  writeFileSync(join(at.folder, 'x.png'), picture);
  const { stdout } = await at.svc(['--local', 'files', 'upload', join(at.folder, 'x.png')]);
  const large = join(at.folder, 'large.png');
  const line = ['generate', 'local/upscale', '--opt', `image_file_id=${stdout.trim()}`];
  const result = await at.svc(['--local', ...line, '-o', large]);
  expect(result).toMatchObject({ code: 0, stdout: `${large}\n` });
});
