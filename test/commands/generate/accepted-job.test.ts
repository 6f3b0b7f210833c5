/** A job that is paid for is named whatever goes wrong after that. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../helpers/fake-media.js';
import { imageScene } from '../image/scene.js';
import { scene } from './scene.js';
import { fails } from '../../helpers/run.js';

describe('a job that was begun', () => {
  it('is named when the service sends an invalid answer about it', async () => {
    const at = await scene();
    at.media.when('/jobs/', { json: { status: 7 } });
    expect(await at.make()).toMatchObject(
      fails(3, 'warning: job_1 continues without svc; to wait: svc jobs wait job_1\nerror: '),
    );
  });

  it('continues when an answer about it is empty, a page, or has a new state', async () => {
    const at = await scene();
    at.media.states = [{ status: 'queued' }, { status: null }, { status: 'success' }];
    const odd = [{ bytes: Buffer.alloc(0) }, { bytes: Buffer.from('<html>busy</html>') }];
    at.media.when('/jobs/', () => odd.shift());
    expect(await at.make()).toMatchObject({ code: 0 });
  });

  it.each(['{"error":"expired"}', ''])('is not an image without an id (%j)', async (text) => {
    const at = await imageScene();
    const b64 = Buffer.from(text).toString('base64');
    at.reply = { ...at.reply, json: { created: 1, data: [{ b64_json: b64 }] } };
    at.media.jobs.push({ id: 'job_7', key: undefined, body: '{}', states: at.media.states });
    expect(await at.create()).toMatchObject({ code: 0 });
    expect(Object.values(at.files())).toEqual(at.media.results);
    at.reply = { ...at.reply, headers: {} };
    expect(await at.create(['--new'])).toMatchObject(fails(12, 'svc image list'));
  });

  it('is named once when its results cannot be downloaded', async () => {
    const at = await scene();
    at.media.when('/file/', refusal(404, 'not_found', 'no such result'));
    const words = 'warning: job_1 is finished; to download it: svc jobs download job_1\n';
    const { code, stderr } = await at.make();
    expect(code).toBe(3);
    expect(stderr).toContain(`${words}error: no such result\n`);
    at.media.when('/jobs/', refusal(404, 'job_not_found', 'no'));
    expect((await at.make('another')).stderr).not.toContain('warning:');
  });

  it.each([
    [refusal(503, 'busy', 'busy now'), 'busy now'],
    [
      { ...refusal(429, 'rate', 'slow down'), headers: { 'retry-after': '99999' } },
      'slow down; it asked for a wait of more than a day',
    ],
  ])('is not a failure to run again', async (reply, message) => {
    const at = await scene();
    at.media.when('/file/', reply);
    const words =
      `error: job_1 is finished, but was not downloaded: ${message}\n` +
      'hint: the job is paid for: svc jobs download job_1\n';
    const { code, stderr } = await at.make();
    expect({ code, stderr }).toEqual({
      code: 12,
      stderr: `price: 12.50 RUB\njob job_1 accepted, 12.50 RUB\n${words}`,
    });
    const image = await imageScene();
    image.media.when('/file/', reply);
    const made = await image.create();
    expect(made).toMatchObject({ code: 12 });
    expect(made.stderr).toContain('hint: the job is paid for: svc jobs download job_7\n');
  });

  it.each([
    [
      refusal(503, 'busy', 'busy now'),
      12,
      'error: the image is finished, but was not downloaded: busy now\nhint: the job is paid for: svc image list\n',
    ],
    [
      refusal(404, 'not_found', 'no such result'),
      3,
      'warning: the image is finished; to find its job: svc image list\nerror: no such result\n',
    ],
  ])(
    'is not an image to pay for again where the answer named no job',
    async (reply, code, words) => {
      const at = await imageScene();
      at.reply = { ...at.reply, headers: {} };
      at.media.when('/file/', reply);
      expect(await at.create()).toMatchObject(fails(code, words));
    },
  );

  it('points to the download when its file is in the way', async () => {
    const at = await scene();
    const output = join(at.folder, 'x.png');
    at.on('media.job', { first: () => writeFileSync(output, 'somebody else was faster') });
    const { code, stderr } = await at.svc(['generate', 'vendor/canvas', 'a', '-o', output]);
    expect(code).toBe(11);
    expect(stderr).toContain('exists\nhint: the job is paid for: svc jobs download job_1\n');
    expect(readFileSync(output, 'utf8')).toBe('somebody else was faster');
  });

  it('is named when its file cannot be fetched', async () => {
    const at = await imageScene();
    at.media.when('/file/', refusal(410, 'gone', 'kept no longer'));
    expect((await at.create()).stderr).toContain('job_7');
    at.media.when('/file/', refusal(404, 'not_found', 'no such result'));
    const line = ['image', 'create', '-m', 'vendor/canvas', 'a lighthouse'];
    expect(await at.svc([...line, '-o', join(at.folder, 'x.png')])).toMatchObject(
      fails(3, 'warning: job_7 is finished; to download it: svc jobs download job_7\n'),
    );
    expect(at.posts()).toBe(1);
  });
});
