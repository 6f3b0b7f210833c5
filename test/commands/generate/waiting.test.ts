import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { refusal } from '../../helpers/fake-media.js';
import { fakeService } from '../../helpers/fake-service.js';
import { fails, run } from '../../helpers/run.js';
import { scene, type Scene } from './scene.js';

/** Interrupts when the service is asked this, before it answers. */
function interrupting(at: Scene, path: string) {
  const abort = new AbortController();
  at.on(new RegExp(path), { first: () => abort.abort(new Interrupted('SIGINT')) });
  return { signal: abort.signal };
}

describe('waiting', () => {
  it('outlasts a network and a service that are down', async () => {
    const at = await scene();
    at.on('media.job', {
      times: 19,
      answer: (_seen, count) => refusal([500, 502, 503, 429][count % 4] ?? 500, 'busy', 'x'),
    });
    expect(await at.make()).toMatchObject({
      code: 0,
      stderr: 'price: 12.50 RUB\njob job_1 accepted, 12.50 RUB\n',
    });
    expect(at.calls().filter((call) => call.includes('/jobs/'))).toHaveLength(20);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('ends after half an hour with exit code 8 and the id, and the job goes on', async () => {
    const at = await scene();
    at.media.states = [{ status: 'processing' }];
    const before = at.clock.now();
    expect(await at.make('x -q')).toMatchObject({
      code: 8,
      stdout: 'job_1\n',
      stderr:
        'error: job_1 is still in progress (running)\n' +
        'hint: it continues without svc; wait for it: `svc jobs wait job_1`\n',
    });
    expect(at.clock.now() - before).toBe(30 * 60_000);
  });

  it('ends when --timeout says so; a program gets the job too', async () => {
    const at = await scene();
    at.media.states = [{ status: 'processing' }];
    const before = at.clock.now();
    const result = await at.make('x --json --timeout 2m');
    expect(result.code).toBe(8);
    expect(at.clock.now() - before).toBe(2 * 60_000);
    expect(JSON.parse(result.stdout)).toMatchObject({ id: 'job_1', status: 'processing' });
    expect(JSON.parse(result.stderr)).toEqual({
      error: {
        exit: 8,
        code: 'pending',
        message: 'job_1 is still in progress (running)',
        hint: 'it continues without svc; wait for it: `svc jobs wait job_1`',
      },
    });
  });

  it('ends in time although the service never answers', async () => {
    const { env } = await fakeService(() => undefined);
    const startedAt = performance.now();
    expect(await run('jobs wait job_1 --timeout 300ms', { env })).toMatchObject({ code: 8 });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it('keeps waiting for the same job while its start is uncertain, and says so once', async () => {
    const at = await scene();
    const uncertain = {
      status: 'submitting',
      errorCode: 'media_submission_uncertain',
      retryGuidance: 'keep polling the same jobId',
    };
    at.media.states = [uncertain, uncertain, { status: 'processing' }, { status: 'success' }];
    expect(await at.make()).toMatchObject({
      code: 0,
      stderr:
        'price: 12.50 RUB\n' +
        'job job_1 accepted, 12.50 RUB\n' +
        'job_1: the service does not know yet whether the job has started (keep polling the same jobId); ' +
        'svc keeps asking about this job and sends nothing again\n',
    });
    expect(at.keys()).toHaveLength(1);
    expect(at.ledger().map(({ type, status }) => [type, status])).toEqual([
      ['wanted', undefined],
      ['accepted', 'processing'],
      ['reported', 'submitting'],
      ['reported', 'processing'],
      ['reported', 'success'],
      ['saved', undefined],
      ['closed', undefined],
    ]);
  });

  it('reports the stages of a sandbox job', async () => {
    const at = await scene();
    at.media.states = [
      { stage: 'submission_unknown' },
      { stage: 'submission_unknown' },
      { stage: 'submission_not_started', charged: false },
    ];
    const result = await at.make('x --sandbox-outcome submission_uncertain');
    expect(result).toMatchObject({ code: 9, stdout: '' });
    expect(result.stderr).toBe(
      'price: 12.50 RUB\n' +
        'job job_1 accepted, 12.50 RUB\n' +
        'job_1: the submission is simulated as uncertain (sandbox stage submission_unknown)\n' +
        'error: job_1 was never started (sandbox); nothing was charged\n',
    );
    const [submission] = at.requests.filter(({ url }) => url.endsWith('/generate'));
    expect(submission?.headers).toMatchObject({
      'x-svc-sandbox-outcome': 'submission_uncertain',
    });
    expect(at.ledger().at(-1)).toMatchObject({ type: 'reported', status: 'not_started' });
  });

  it('ends with exit code 9 when the job fails', async () => {
    const at = await scene();
    at.media.states = [
      { status: 'fail', failMsg: 'the prompt was\u001b[2J refused', errorCode: 'moderation' },
    ];
    expect(await at.make('x -q')).toMatchObject({
      code: 9,
      stdout: '',
      stderr:
        'error: job_1 failed: the prompt was [2J refused\n' +
        'hint: see its details: `svc jobs show job_1`, and whether it was charged: `svc usage list`\n',
    });
    const json = await at.make('y --json');
    expect(json.code).toBe(9);
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: 'job_2',
      status: 'fail',
      errorCode: 'moderation',
    });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit: 9, code: 'moderation' } });
  });

  it('ends when the service no longer knows the job', async () => {
    const at = await scene();
    at.media.when('/jobs/', refusal(404, 'job_not_found', 'no job'));
    expect(await at.make('x -q')).toMatchObject(fails(3, 'error: this account has no job job_1\n'));
    expect(at.ledger().at(-1)).toMatchObject({ type: 'reported', status: 'unknown_job' });
  });

  it('shows a user how long such jobs usually take, once enough of them were seen to end', async () => {
    const at = await scene();
    const tty = { stderr: true };
    // Jobs that had ended when they were first looked at, one of them long before.
    for (const prompt of ['a', 'b', 'c']) await at.make(prompt);
    await at.svc('generate vendor/canvas old --no-wait');
    at.clock.pass(60_000);
    await at.svc('jobs wait job_4');
    const states = [{ status: 'processing' }, { status: 'processing' }, { status: 'success' }];
    for (const prompt of ['d', 'e', 'f', 'g']) {
      at.media.states = states;
      const { stderr } = await at.make(prompt, { tty });
      expect(stderr.includes('usually')).toBe(prompt === 'g');
      expect(stderr.includes('(usually 3 s)')).toBe(prompt === 'g');
    }
  });
});

it.each([
  [
    'while the price is asked for',
    '/api/media/price',
    'nothing was submitted\n',
    ['wanted'].slice(1),
  ],
  [
    'while the job is sent',
    '/api/media/generate',
    'the job may have been accepted: the same command again, without --new, resumes it and does not pay twice; to look first: svc jobs list\n',
    ['wanted', 'uncertain'],
  ],
  [
    'while the job is at work',
    '/api/media/jobs/',
    'job_1 continues without svc; to wait: svc jobs wait job_1\n',
    ['wanted', 'accepted'],
  ],
  [
    'while the result is fetched',
    '/api/media/file/',
    'job_1 is finished; to download it: svc jobs download job_1\n',
    ['wanted', 'accepted', 'reported'],
  ],
])('Ctrl-C %s says what goes on, and how to come back', async (_, path, words, types) => {
  const at = await scene();
  const { code, stdout, stderr } = await at.make('x -q', interrupting(at, path));
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: words });
  expect(at.ledger().map(({ type }) => type)).toEqual(types);
});
