import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png } from '../../helpers/fake-media.js';
import { scene } from '../generate/scene.js';

describe('svc files upload', () => {
  it('prints the id alone, of a file and of stdin', async () => {
    const at = await scene();
    const path = join(at.folder, 'a.png');
    writeFileSync(path, png);
    const done = (id: string) => ({ code: 0, stdout: `${id}\n`, stderr: '' });
    expect(await at.svc(['files', 'upload', path])).toMatchObject(done('file_1'));
    expect(await at.svc('files upload -', { stdin: png })).toMatchObject(done('file_2'));
    expect(at.media.uploads).toHaveLength(2);
    expect(at.media.uploads[0]?.toString()).toContain('filename="a.png"');
  });

  it('gives the file the name it is told, and shows the answer with --json', async () => {
    const at = await scene();
    const result = await at.svc('files upload - --name cat.png --json', { stdin: png });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({ id: 'file_1' });
    expect(at.media.uploads[0]?.toString()).toContain('filename="cat.png"');
  });

  it.each([
    [['/nowhere.png'], undefined, 2, 'there is no file'],
    [['-'], Buffer.alloc(0), 2, 'empty'],
    [['https://example.com/a.png'], undefined, 2, 'an address is not uploaded'],
    [['-', '--name', ''], png, 2, '--name needs a name'],
    [[], undefined, 2, 'file'],
  ])('of %j sends nothing', async (line, stdin, code, words) => {
    const at = await scene();
    const result = await at.svc(['files', 'upload', ...line], { stdin });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(words);
    expect(at.requests).toEqual([]);
  });

  it('gives an id that a job takes, offline', async () => {
    const at = await scene();
    const made = await at.svc(['--local', 'image', 'create', 'x', '-o', join(at.folder, 'x.png')]);
    expect(made.code).toBe(0);
    const { stdout } = await at.svc(['--local', 'files', 'upload', join(at.folder, 'x.png')]);
    const large = join(at.folder, 'large.png');
    const line = ['generate', 'local/upscale', '--opt', `image_file_id=${stdout.trim()}`];
    const result = await at.svc(['--local', ...line, '-o', large]);
    expect(result).toMatchObject({ code: 0, stdout: `${large}\n` });
  });
});
