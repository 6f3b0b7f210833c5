/** Images whose answer got lost are found again, and never asked for twice. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { png, refusal, type Reply } from '../../helpers/fake-media.js';
import { imageScene, named } from './scene.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { fails, run } from '../../helpers/run.js';

/** The line drops within the answer. */
const cut: Reply = { status: 200, bytes: Buffer.from('{"data":[') };
const file = { 'vendor-canvas-job_7.png': png };
const minutesMs = 60_000;

it.each([
  ['header', { ...refusal(504, 'timeout', 'still running'), headers: named }],
  ['body', refusal(504, 'timeout', 'still running', { jobId: 'job_7' })],
])(
  'an image without an answer is followed by the job that a 504 names in its %s',
  async (_, reply) => {
    const at = await imageScene(reply);
    const result = await at.create();
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('the answer contains no image; following its job job_7');
    expect(at.posts()).toBe(1);
    expect(at.files()).toEqual(file);
  },
);

it('an image without an answer names the candidates in the list, by model and time, and uses none of them', async () => {
  const at = await imageScene(cut);
  at.listed = [
    at.item('job_9', { model: 'vendor/other' }),
    at.item('job_8', { model: 'canvas:fast' }),
    at.item('job_7'),
    at.item('job_1', { created: 5 }),
  ];
  expect(await at.create(['-q'])).toMatchObject(
    fails(10, '; it may be job_8, job_7 (the service does not say which', 'svc image list'),
  );
  expect([at.posts(), at.files()]).toEqual([1, {}]);
});

it('an image without an answer does not use the image of another machine, the only one in the list', async () => {
  const at = await imageScene(cut);
  at.listed = [at.item('job_7')];
  expect(await at.create(['-q'])).toMatchObject(fails(10, 'it may be job_7'));
  expect([at.posts(), at.files()]).toEqual([1, {}]);
});

it('an image without an answer is not one that the ledger knows already', async () => {
  const at = await imageScene();
  await at.create();
  at.reply = cut;
  at.listed = [at.item('job_7')];
  const result = await at.create(['-q']);
  expect(result.code).toBe(10);
  expect(result.stderr).not.toContain('job_7');
});

it('an image whose run did not end is resumed by the same command when its job is known', async () => {
  const at = await imageScene({ ...refusal(504, 'timeout', 'still running'), headers: named });
  at.on('media.file', { answer: { status: 503, bytes: Buffer.from('later') } });
  expect((await at.create()).code).toBe(12);
  at.on('media.file', {});
  const again = await at.create();
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toMatch(
    /^resuming job_7 \(started \d+ s ago\): nothing is paid twice; use --new to start another\n/,
  );
  expect([at.posts(), at.files()]).toEqual([1, file]);
  // Done with: the next is another one.
  await at.create();
  expect(at.posts()).toBe(2);
});

it('an image whose run did not end is made when the service certainly never received it', async () => {
  const at = await imageScene();
  await at.create();
  at.killed();
  expect((await at.create()).code).toBe(10);
  at.clock.pass(11 * minutesMs);
  expect(await at.create()).toMatchObject({ code: 0 });
  expect(at.posts()).toBe(2);
});

it('an image whose run did not end is over when the user has downloaded the candidate', async () => {
  const at = await imageScene();
  await at.create();
  at.killed();
  at.listed = [at.item('job_7')];
  const again = await at.create();
  expect(again.stderr).toContain('may have been carried out and charged: it may be job_7');
  await at.svc(['jobs', 'download', 'job_7', '-o', join(at.folder, 'mine.png')]);
  at.clock.pass(11 * minutesMs);
  expect(await at.create()).toMatchObject({ code: 0 });
  expect(at.posts()).toBe(2);
});

it('an image whose run did not end is listed, with its candidates, by svc jobs list', async () => {
  const at = await imageScene();
  await at.create();
  at.killed();
  at.listed = [at.item('job_8'), at.item('job_7')];
  const list = await at.svc('jobs list');
  expect(list.stdout).toMatch(/^-\tvendor\/canvas\tqueued\t/);
  expect(list.stderr).toContain('it may be job_8, job_7 (the service does not say which');
  expect((await at.svc('jobs wait --all')).code).toBe(10);
  expect(at.posts()).toBe(1);
});

it('an image whose run did not end that is not listed may still appear, but not after ten minutes', async () => {
  const at = await imageScene();
  await at.create();
  at.killed();
  expect((await at.svc('jobs list')).stderr).toContain('the service does not list it yet');
  at.clock.pass(11 * minutesMs);
  await at.svc('jobs list');
  const { stdout } = await at.svc('jobs list --all --json');
  expect(JSON.parse(stdout)).toMatchObject([{ kind: 'image', errorCode: 'not_listed' }]);
  expect(at.posts()).toBe(1);
});

it('an image whose run did not end is reported once when it happened often', async () => {
  const at = await imageScene(cut);
  for (let nth = 0; nth < 3; nth += 1) await at.create(['-q', '--new']);
  expect((await at.svc('jobs list')).stderr).toBe(
    'warning: a job for vendor/canvas may have been accepted; svc keeps checking: ' +
      'the service does not list it yet (3 times)\n',
  );
});

it('an image that --timeout gives up may have been charged, and the same command is not paid twice', async () => {
  const home = testFolder();
  const how = { home, env: { SVC_LOCAL_JOB_TIME: '10s' }, clock: new PollingClock() };
  const create = `--local image create boat -o ${join(home, 'a.png')} --json`;
  expect(await run(`${create} --timeout 3s`, how)).toMatchObject(
    fails(10, 'not finished within 3 s'),
  );
  expect(await run(create, how)).toMatchObject({ code: 0 });
  expect((await run('--local balance', how)).stdout).toBe('997.60 RUB\n');
});
