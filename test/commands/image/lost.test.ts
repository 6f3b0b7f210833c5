/** Images whose answer got lost are found again, and never asked for twice. */
import { describe, expect, it } from 'vitest';
import { png, refusal, type Reply } from '../../helpers/fake-media.js';
import { imageScene, named } from './scene.js';

/** The line drops within the answer. */
const cut: Reply = { status: 200, bytes: Buffer.from('{"data":[') };
const file = { 'vendor-canvas-job_7.png': png };
const minutesMs = 60_000;

describe('an image without an answer', () => {
  it.each([
    ['header', { ...refusal(504, 'timeout', 'still running'), headers: named }],
    ['body', refusal(504, 'timeout', 'still running', { jobId: 'job_7' })],
  ])('is followed by the job that a 504 names in its %s', async (_, reply) => {
    const at = await imageScene(reply);
    const result = await at.create();
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('no image came; going on with its job job_7');
    expect(at.posts()).toBe(1);
    expect(at.files()).toEqual(file);
  });

  it('is found in the list, among others and under the short name of its model', async () => {
    const at = await imageScene(cut);
    at.listed = [
      at.item('job_9', { model: 'vendor/other' }),
      at.item('job_7', { model: 'canvas:fast' }),
      at.item('job_1', { created: 5 }),
    ];
    expect(await at.create()).toMatchObject({ code: 0 });
    expect(at.posts()).toBe(1);
    expect(at.files()).toEqual(file);
  });

  it('is found when it appears in the list a little late', async () => {
    const at = await imageScene(cut);
    const { instead } = at.media;
    let looks = 0;
    at.media.instead = (seen) => {
      if (seen.method === 'GET' && seen.url.startsWith('/v1/images')) {
        looks += 1;
        if (looks === 3) at.listed = [at.item('job_7')];
      }
      return instead(seen);
    };
    expect(await at.create()).toMatchObject({ code: 0 });
    expect([looks, at.posts()]).toEqual([3, 1]);
  });

  it('and nowhere to be found ends with exit code 10 and where to look', async () => {
    const at = await imageScene(cut);
    const result = await at.create(['-q']);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('svc image list');
    expect(at.posts()).toBe(1);
  });

  it('is not guessed when it may be one of two', async () => {
    const at = await imageScene(cut);
    at.listed = [at.item('job_8'), at.item('job_7')];
    const result = await at.create(['-q']);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('the image may be any of job_8, job_7');
    expect([at.posts(), at.files()]).toEqual([1, {}]);
  });

  it('is not that of an image which the ledger knows already', async () => {
    const at = await imageScene();
    await at.create();
    at.reply = cut;
    at.listed = [at.item('job_7')];
    expect((await at.create(['-q'])).code).toBe(10);
  });
});

describe('an image that was cut off by a kill', () => {
  it('is found by svc jobs list, and fetched by svc jobs download', async () => {
    const at = await imageScene();
    await at.create();
    const [path = ''] = Object.keys(at.files());
    at.killed();
    at.listed = [at.item('job_7')];
    const list = await at.svc('jobs list');
    expect(list).toMatchObject({ code: 0 });
    expect(list.stdout).toMatch(/^job_7\tvendor\/canvas\tsuccess\t2.40 RUB\t/);
    const got = await at.svc(['jobs', 'download', 'job_7', '-o', `${at.folder}/`]);
    expect(got.code).toBe(0);
    expect(Object.keys(at.files())).toContain(path);
    expect(at.posts()).toBe(1);
  });

  it('is collected by svc jobs wait --all', async () => {
    const at = await imageScene();
    await at.create();
    at.killed();
    at.listed = [at.item('job_7')];
    const waited = await at.svc('jobs wait --all');
    expect(waited).toMatchObject({ code: 0 });
    expect(waited.stdout).toMatch(/^job_7\tsuccess\t2.40 RUB\n/);
    expect(at.posts()).toBe(1);
  });

  it('and is not listed may still come, and after ten minutes surely will not', async () => {
    const at = await imageScene();
    await at.create();
    at.killed();
    const soon = await at.svc('jobs list');
    expect(soon.stderr).toContain('not in the list of the service yet');
    at.clock.pass(11 * minutesMs);
    await at.svc('jobs list');
    const { stdout } = await at.svc('jobs list --all --json');
    expect(JSON.parse(stdout)).toMatchObject([{ kind: 'image', errorCode: 'not_listed' }]);
    expect(at.posts()).toBe(1);
  });

  it('gets the one job that there is for two, and the other is known to be missing', async () => {
    const at = await imageScene();
    await at.create();
    at.killed();
    at.reply = cut;
    at.listed = [];
    expect((await at.create(['-q'])).code).toBe(10);
    at.listed = [at.item('job_7')];
    const list = await at.svc('jobs list --json');
    expect(JSON.parse(list.stdout)).toMatchObject([{ job: 'job_7' }, { job: null }]);
    expect(list.stderr).toContain('it is not in the list of the service yet');
    expect(at.posts()).toBe(2);
  });

  it('does not give its job to another that lost its answer meanwhile', async () => {
    const at = await imageScene();
    await at.create();
    at.killed();
    at.reply = cut;
    at.listed = [at.item('job_7')];
    const result = await at.create(['-q']);
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('job_7 may be this image, or another one');
  });

  it('is not taken for another of the same time without a word', async () => {
    const at = await imageScene(cut);
    const create = (prompt: string) => at.svc(['image', 'create', '-m', 'vendor/canvas', prompt]);
    for (const prompt of ['a lighthouse', 'a storm']) {
      expect((await create(prompt)).code).toBe(10);
    }
    at.listed = [at.item('job_8'), at.item('job_7')];
    const list = await at.svc('jobs list');
    expect(list.stdout).toMatch(/^job_\d\t.*\njob_\d\t.*\n$/);
    expect(list.stderr).toContain(
      'warning: which image is which of job_7, job_8, the service does not say; look at each\n',
    );
    expect(at.posts()).toBe(2);
  });

  it('is told once when it happened often', async () => {
    const at = await imageScene(cut);
    for (let nth = 0; nth < 3; nth += 1) await at.create(['-q']);
    const { stderr } = await at.svc('jobs list');
    expect(stderr).toBe(
      'warning: a job for vendor/canvas may have been accepted; svc goes on finding out: ' +
        'it is not in the list of the service yet (3 times)\n',
    );
  });
});
