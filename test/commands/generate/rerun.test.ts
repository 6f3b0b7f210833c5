/** The same command typed again goes on with a run that did not end, and is paid for once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { png, refusal } from '../../helpers/fake-media.js';
import { scene, type Scene } from './scene.js';
import { words } from '../../helpers/run.js';
import { forgetEnd } from '../../helpers/state.js';

/** A job whose run ended before its file was fetched. */
async function unfetched(output: (at: Scene) => string[] = () => []): Promise<Scene> {
  const at = await scene();
  at.media.when('/file/', { status: 503, bytes: Buffer.from('later') });
  const line = ['generate', 'vendor/canvas', 'x', ...output(at)];
  expect(await at.svc(line)).toMatchObject({ code: 12 });
  at.media.instead = () => undefined;
  return at;
}

const toFile = (at: Scene) => ['-o', join(at.folder, 'x.png')];

describe('svc generate after a run that did not end', () => {
  it.each(['', '--json'])('resumes the job whose file was not downloaded %s', async (json) => {
    const at = await unfetched(toFile);
    at.clock.pass(12 * 60_000);
    const line = ['generate', 'vendor/canvas', 'x', ...toFile(at), ...words(json)];
    const shown = json === '' ? `${join(at.folder, 'x.png')}\n` : '"resumed": true';
    expect(await at.svc(line)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(shown),
      stderr:
        'resuming job_1 (started 12 min ago): nothing is paid twice; use --new to start another\n',
    });
    expect(at.files()).toEqual({ 'x.png': png });
    expect(at.media.jobs).toHaveLength(1);
    expect(at.media.quotes).toBe(1);
  });

  it('resumes a job of a process that may still run where it cannot be seen, and says so', async () => {
    const at = await unfetched(toFile);
    at.hide();
    at.clock.pass(12 * 60_000);
    expect(await at.svc(['generate', 'vendor/canvas', 'x', ...toFile(at)])).toMatchObject({
      code: 0,
      stderr:
        'warning: whether the run of 12 min ago on container has ended cannot be known here; nothing ' +
        'is paid twice unless --new is given\n' +
        'resuming job_1 (started 12 min ago): nothing is paid twice; use --new to start another\n',
    });
    expect(at.media.jobs).toHaveLength(1);
  });

  it.each(['jobs list', 'jobs wait --all'])(
    'sends a request of such a process again with its key: svc %s',
    async (line) => {
      const at = await unfetched(toFile);
      at.hide((text) => text.includes('"wanted"'));
      expect(await at.svc(line)).toMatchObject({ code: 0 });
      const [key, again] = at.keys();
      expect([again, at.media.jobs.length]).toEqual([key, 1]);
    },
  );

  it('makes another once that run has succeeded', async () => {
    const at = await unfetched();
    await at.make('x');
    await at.make('x');
    await at.make('x');
    expect(at.media.jobs).toHaveLength(3);
  });

  it('makes another once its results were fetched by svc jobs download', async () => {
    const at = await unfetched();
    await at.svc(['jobs', 'download', 'job_1', '-o', `${at.folder}/`]);
    await at.make('x');
    expect(at.media.jobs).toHaveLength(2);
  });

  it('makes another with --new, and ignores the previous one from then on', async () => {
    const at = await unfetched();
    expect(await at.make('x --new')).toMatchObject({
      code: 0,
      stderr: 'price: 12.50 RUB\njob job_2 accepted, 12.50 RUB\n',
    });
    expect(at.media.jobs).toHaveLength(2);
    await at.make('x');
    expect(at.media.jobs).toHaveLength(3);
  });

  it('resumes a job that was not done in time', async () => {
    const at = await scene();
    at.media.states = [{ status: 'processing' }];
    expect(await at.make('x --timeout 60')).toMatchObject({ code: 8 });
    at.media.jobs.forEach((job) => (job.states = [{ status: 'success' }]));
    // It is paid for, whatever this command may spend.
    expect(await at.make('x --max-cost 5')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('resuming job_1'),
    });
    expect(at.media.jobs).toHaveLength(1);
  });

  it('does not resume one that failed, or that was started with --no-wait', async () => {
    const at = await scene();
    at.media.states = [{ status: 'fail', failMsg: 'no' }];
    expect(await at.make('x')).toMatchObject({ code: 9 });
    at.media.states = [{ status: 'success' }];
    expect(await at.make('x')).toMatchObject({
      code: 0,
      stderr: 'price: 12.50 RUB\njob job_2 accepted, 12.50 RUB\n',
    });
    await at.svc('generate vendor/canvas y --no-wait');
    expect(await at.make('y')).toMatchObject({
      code: 0,
      stderr: 'price: 12.50 RUB\njob job_4 accepted, 12.50 RUB\n',
    });
    expect(at.media.jobs).toHaveLength(4);
  });

  it('leaves a run in use alone: the same command may run twice on purpose', async () => {
    const at = await scene();
    let second: Promise<unknown> | undefined;
    at.on('media.job', { nth: 1, first: () => void (second = at.make('x')) });
    expect(await at.make('x')).toMatchObject({ code: 0 });
    await second;
    expect(at.media.jobs).toHaveLength(2);
  });

  it('resumes it in one of several parallel reruns; the others make their own', async () => {
    const at = await unfetched();
    const rerun = () => at.make('x', { clock: systemClock });
    const all = await Promise.all([rerun(), rerun(), rerun()]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(all.filter(({ stderr }) => stderr.includes('resuming job_1'))).toHaveLength(1);
    expect(at.media.jobs).toHaveLength(3);
  });

  it('succeeds when the file exists already, and only its end was not recorded', async () => {
    const at = await scene();
    await at.svc(['generate', 'vendor/canvas', 'x', ...toFile(at)]);
    forgetEnd(at.home);
    const again = await at.svc(['generate', 'vendor/canvas', 'x', ...toFile(at)]);
    expect(again).toMatchObject({ code: 0, stdout: `${join(at.folder, 'x.png')}\n` });
    expect(at.media.jobs).toHaveLength(1);
    // What was asked for is another thing: there the name is taken.
    forgetEnd(at.home);
    const other = await at.svc(['generate', 'vendor/canvas', 'y', ...toFile(at)]);
    expect(other).toMatchObject({ code: 11, stdout: '' });
    expect(at.media.jobs).toHaveLength(1);
  });

  it('does not accept a foreign file as its result', async () => {
    const at = await unfetched(toFile);
    writeFileSync(join(at.folder, 'x.png'), png);
    const again = await at.svc(['generate', 'vendor/canvas', 'x', ...toFile(at)]);
    expect(again).toMatchObject({ code: 11, stdout: '' });
    expect(again.stderr).toContain('x.png exists');
  });

  it('asks on a terminal when it is from another day', async () => {
    const at = await unfetched();
    at.clock.pass(2 * 24 * 60 * 60_000);
    expect((await at.make('x', { tty: true, typed: [['Resume job_1', 'n\r']] })).code).toBe(0);
    expect(at.media.jobs).toHaveLength(2);
    const yes = await at.make('x', { tty: true, typed: [['Resume job_1', '\r']] });
    expect(yes.stderr).toContain('resuming job_1 (started 2 d ago)');
    expect(at.media.jobs).toHaveLength(2);
  });
});

const dearer = (at: Scene) => {
  at.media.prices = [10];
  return at;
};

it('a price in the answer above the one that was agreed causes a warning', async () => {
  const at = dearer(await scene());
  const result = await at.make('x');
  expect(result).toMatchObject({ code: 0 });
  expect(result.stderr).toContain(
    'warning: job_1 was accepted at 12.50 RUB, above the quote of 10.00 RUB\n',
  );
});

it('a price in the answer above the one that was agreed ends with exit code 5, and the id, when it is above --max-cost', async () => {
  const at = dearer(await scene());
  const result = await at.make('x --max-cost 11');
  expect(result).toMatchObject({ code: 5, stdout: 'job_1\n' });
  expect(result.stderr).toContain(
    'error: job_1 was accepted at 12.50 RUB, above --max-cost 11.00 RUB\n' +
      'hint: it is paid for and continues: `svc jobs wait job_1`\n',
  );
});

it('a readable id is kept, whatever else cannot be read', async () => {
  const at = await scene();
  const json = { jobId: 'job_9', ok: 'x', priceRub: {}, provider: 5, status: [] };
  at.on('media.generate', { answer: { status: 202, json } });
  at.on('media.job', { answer: refusal(404, 'not_found', 'not yet') });
  await at.make('x');
  expect(at.ledger()).toMatchObject([{}, { type: 'accepted', jobId: 'job_9' }, {}]);
});
