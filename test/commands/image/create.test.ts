import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png, refusal } from '../../helpers/fake-media.js';
import { scene } from '../generate/scene.js';
import { imageScene, named } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

describe('svc image create', () => {
  it('writes the image, and sends the given options', async () => {
    const at = await imageScene();
    const path = join(at.folder, 'vendor-canvas-job_7.png');
    const result = await at.create(['--size', '1792x1024', '--quality', 'high']);
    expect(result).toMatchObject({ code: 0, stdout: `${path}\n`, stderr: 'price: 2.40 RUB\n' });
    expect(readFileSync(path)).toEqual(png);
    const sent = at.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      model: 'vendor/canvas',
      prompt: 'a lighthouse',
      size: '1792x1024',
      quality: 'high',
    });
  });

  it('--quote shows the price, and makes no image', async () => {
    const at = await imageScene();
    const line = 'image create -m vendor/canvas x --quality high --size auto --quote';
    expect(await at.svc(line, { tty: true })).toMatchObject({ code: 0, stderr: '' });
    expect((await at.svc(line)).stdout).toMatch(/^Price\t12\.50 RUB\n/);
    expect(await jsonOf(at.svc(`${line} --json`))).toMatchObject({ priceRub: 12.5 });
    expect(at.calls()).toEqual(Array(3).fill('POST /api/media/price'));
    const body = { model: 'vendor/canvas', prompt: 'x', opts: { quality: 'high' } };
    expect(JSON.parse(at.requests[0]?.body ?? '')).toEqual(body);
  });

  it('ends on a terminal with the price, the time and the balance', async () => {
    const at = await imageScene();
    const { stdout, stderr } = await at.create([], { tty: true });
    expect(stdout).toBe(`${join(at.folder, 'vendor-canvas-job_7.png')}\n`);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/2\.40 RUB · \d+ s · balance 987\.50 RUB/);
  });

  it('reports everything with --json', async () => {
    const at = await imageScene();
    const { code, stdout, stderr } = await at.create(['--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      id: 'job_7',
      state: 'done',
      status: 'success',
      model: 'vendor/canvas',
      requestedModel: 'vendor/canvas',
      results: 1,
      resultsExpireAt: '2030-01-01T00:00:00.000Z',
      files: [
        {
          index: 0,
          path: join(at.folder, 'vendor-canvas-job_7.png'),
          bytes: png.length,
          mediaType: 'image/png',
        },
      ],
      cost: { priceRub: 2.4, balanceRub: 987.5 },
      created: expect.any(Number),
      data: [expect.any(Object)],
      ids: expect.objectContaining({ jobId: 'job_7' }),
    });
  });

  it('sends the name of the model as it was typed', async () => {
    const at = await imageScene();
    const line = ['image', 'create', '-m', ' vendor/canvas', 'x', '--dry-run'];
    expect(await jsonOf(at.svc(line))).toMatchObject({ body: { model: ' vendor/canvas' } });
  });

  it('writes an image that came within the answer, whole or to a pipe', async () => {
    const inline = { json: { data: [{ b64_json: png.toString('base64') }] }, headers: named };
    const at = await imageScene(inline);
    expect(await at.create(['--response-format', 'b64_json'])).toMatchObject({ code: 0 });
    expect(at.files()).toEqual({ 'vendor-canvas-job_7.png': png });
    const piped = await at.svc(['image', 'create', '-m', 'vendor/canvas', 'x', '-o', '-']);
    expect(piped.stdoutBytes).toEqual(png);
  });

  it('shows the request with --dry-run, and records nothing', async () => {
    const at = await imageScene();
    const { code, stdout } = await at.create(['--dry-run']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { prompt: 'a lighthouse' } });
    expect([at.requests, at.ledger()]).toEqual([[], []]);
  });

  it.each([
    [['image', 'create', '-m', 'v/c', 'x', '--count', '2'], 2, '--count: "2" is not 1'],
    [['image', 'create', '-m', 'vendor/canvas'], 2, 'the prompt is empty'],
    [['image', 'create', '-m', 'v/c', 'x', '--size', 'large'], 2, 'size must be auto, or width'],
    [['image', 'create', '-m', 'v/c', 'x', '--response-format', 'gif'], 2, 'is not one of url'],
    [['image', 'create', '-m', 'v/c', 'x', '-o', 'THERE/new/'], 11, 'there.png'],
    [['image', 'create', '-m', 'v/c', 'x', '-o', 'THERE'], 11, 'there.png exists'],
    [['image', 'list', '--limit', '101'], 2, 'from 1 to 100'],
  ])('%j ends with exit code %i and sends nothing', async (line, code, words) => {
    const at = await imageScene();
    writeFileSync(join(at.folder, 'there.png'), 'mine');
    const there = line.map((word) => word.replace('THERE', join(at.folder, 'there.png')));
    expect(await at.svc(there)).toMatchObject(fails(code, words));
    expect([at.requests, at.ledger()]).toEqual([[], []]);
    expect(readFileSync(join(at.folder, 'there.png'), 'utf8')).toBe('mine');
  });

  it.each([
    [400, 'unsupported_size', 3],
    [404, 'unknown_model', 3],
    [502, 'generation_failed', 6],
  ])('that is refused with %i is not followed, and not sent again', async (status, code, exit) => {
    const at = await imageScene(refusal(status, code, 'no'));
    expect((await at.create(['-q'])).code).toBe(exit);
    expect(at.posts()).toBe(1);
    expect(at.requests).toHaveLength(1);
  });

  it.runIf(existsSync('/proc/self'))('says so when its folder cannot be created', async () => {
    const at = await imageScene();
    const result = await at.svc(['image', 'create', '-m', 'v/c', 'x', '-o', '/proc/new/dir/']);
    expect(result).toMatchObject({ code: 11, stdout: '' });
  });

  it('works offline', async () => {
    const at = await scene();
    const output = join(at.folder, 'a.png');
    const words = ['--local', 'image', 'create', 'a lighthouse', '--quality', 'draft'];
    const result = await at.svc([...words, '-o', output]);
    expect(result).toMatchObject({ code: 0, stdout: `${output}\n` });
    const list = await at.svc('--local image list');
    expect(list.stdout).toMatch(/^job_\w+\tlocal\/canvas\tdone\t0.6\t/);
    expect((await at.svc('--local jobs list')).stdout).toMatch(
      /^job_\w+\tlocal\/canvas\tdone\t0.6\t20[^\t]+Z\t1\/1\t20[^\t]+Z\t/,
    );
  });
});
