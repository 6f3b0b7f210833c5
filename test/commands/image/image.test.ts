import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png, refusal, type Reply } from '../../helpers/fake-media.js';
import { scene, type Scene } from '../generate/scene.js';

const named = { 'x-svc-media-job-id': 'job_7' };

/** A service that makes images like this; the job behind them is job_7. */
async function making(reply: (at: Scene) => Reply, listed: readonly object[] = []) {
  const at = await scene();
  at.media.instead = ({ method, url }) => {
    if (url.startsWith('/v1/images/generations')) {
      return method === 'POST' ? reply(at) : { json: { object: 'list', data: listed } };
    }
    if (url === '/api/media/jobs/job_7') {
      const resultUrls = [`${at.origin}/api/media/file/job_7/0?sig=s`];
      return { json: { status: 'success', resultUrls, priceRub: 2.4 } };
    }
    return undefined;
  };
  const create = (...more: string[]) =>
    at.svc([
      'image',
      'create',
      '-m',
      'vendor/canvas',
      'a lighthouse',
      '-o',
      `${at.folder}/`,
      ...more,
    ]);
  const posts = () =>
    at.requests.filter(({ method, url }) => method === 'POST' && url === '/v1/images/generations');
  return { ...at, create, posts };
}
const made = (at: Scene): Reply => ({
  json: { created: 1, data: [{ url: `${at.origin}/api/media/file/job_7/0?sig=s` }] },
  headers: named,
});
const item = (id: string, created = 1000) => ({
  id,
  model: 'vendor/canvas',
  status: 'succeeded',
  created,
  cost_rub: 2.4,
});
const cut: Reply = { status: 200, bytes: Buffer.from('{"data":[') };

describe('svc image create', () => {
  it('writes the image', async () => {
    const at = await making(made);
    const path = join(at.folder, 'vendor-canvas-job_7.png');
    const result = await at.create('--size', '1792x1024', '--quality', 'high');
    expect(result).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(readFileSync(path)).toEqual(png);
    expect(JSON.parse(at.posts()[0]?.body ?? '')).toEqual({
      model: 'vendor/canvas',
      prompt: 'a lighthouse',
      size: '1792x1024',
      quality: 'high',
    });
  });
  it('writes an image that came within the answer', async () => {
    const at = await making(() => ({
      json: { data: [{ b64_json: png.toString('base64') }] },
      headers: named,
    }));
    expect(await at.create('--response-format', 'b64_json')).toMatchObject({ code: 0 });
    expect(at.files()).toEqual({ 'vendor-canvas-job_7.png': png });
  });
  it.each([
    ['header', { ...refusal(504, 'timeout', 'still running'), headers: named }],
    ['body', refusal(504, 'timeout', 'still running', { jobId: 'job_7' })],
  ])('follows the job that a 504 names in its %s', async (_, reply) => {
    const at = await making(() => reply);
    expect(await at.create()).toMatchObject({ code: 0 });
    expect(at.posts()).toHaveLength(1);
    expect(at.files()).toEqual({ 'vendor-canvas-job_7.png': png });
  });
  it('finds the job of a lost answer in the list, and never posts again', async () => {
    const at = await making(() => cut, [item('job_7', Date.now() / 1000), item('job_1', 5)]);
    const result = await at.create();
    expect({ code: result.code, stderr: result.stderr }).toMatchObject({ code: 0 });
    expect(at.posts()).toHaveLength(1);
  });
  it('whose job is not to be found ends with exit code 10', async () => {
    const at = await making(() => cut, []);
    const result = await at.create('-q');
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('svc image list');
    expect(at.posts()).toHaveLength(1);
  });
  it('that failed cost nothing', async () => {
    const at = await making(() => refusal(502, 'failed', 'it failed'));
    expect((await at.create('-q')).code).toBe(6);
    expect(at.posts()).toHaveLength(1);
  });
  it('works offline', async () => {
    const at = await scene();
    const output = join(at.folder, 'a.png');
    const result = await at.svc(['--local', 'image', 'create', 'a lighthouse', '-o', output]);
    expect(result).toMatchObject({ code: 0, stdout: `${output}\n` });
    const list = await at.svc('--local image list');
    expect(list.stdout).toMatch(/^job_\w+\tlocal\/canvas\tsucceeded\t2.40 RUB\t/);
  });
});

describe('svc files upload', () => {
  it('prints the id alone', async () => {
    const at = await scene();
    expect(await at.svc('files upload -', { stdin: png })).toMatchObject({
      code: 0,
      stdout: 'file_1\n',
      stderr: '',
    });
    const local = await at.svc('--local files upload -', { stdin: png });
    expect(local.code).toBe(0);
  });
});
