import { join } from 'node:path';
import { expect, it } from 'vitest';
import { progressLine } from '../../../src/jobs/collect.js';
import { scene } from '../generate/scene.js';
import { begun, state } from './begun.js';
import { fails, jsonOf } from '../../helpers/run.js';

it('svc jobs show shows a person and a program what is known of a job', async () => {
  const at = await begun('a');
  const resultMeta = { width: 8, height: 9, seed: 0, mood: '\u001b[2J' };
  state(at, 0, { status: 'success', provider: 'canvas', resultMeta });
  const { code, stdout } = await at.svc('jobs show job_1');
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'Job\tjob_1',
      'Model\tvendor/canvas',
      'Provider\tcanvas',
      'State\tdone',
      'Price\t12.50 RUB',
      'Made\t2026-11-21T18:43:00.000Z',
      'Results\t1',
      'Expire\t2999-01-01T00:00:00.000Z',
      ...['width: 8', 'height: 9', 'seed: 0', 'mood: [2J'].map((fact) => `Meta\t${fact}`),
      '',
    ].join('\n'),
  );
  const { stdout: seen } = await at.svc('jobs show job_1', { tty: { stdout: true } });
  expect(seen).toMatch(/\nPrompt +a\nCreated +\S+ \S+ \(0 s ago\)\n/);
  expect(seen).toMatch(/\nState +done\n[^]*\nMeta +8 × 9 · seed 0 · mood \[2J\n$/);
  expect(await jsonOf(at.svc('jobs show job_1 --json'))).toMatchObject({
    id: 'job_1',
    state: 'done',
    status: 'success',
    key: at.keys()[0],
    prompt: 'a',
    files: [],
    cost: { priceRub: 12.5 },
    reply: { status: 'success' },
  });
});

it('svc jobs show reports to a program every file that a user is shown', async () => {
  const at = await begun('a');
  const paths = ['one.png', 'two.png'].map((name) => join(at.folder, name));
  for (const path of paths) await at.svc(['jobs', 'download', 'job_1', '-o', path]);
  const { stdout } = await at.svc('jobs show job_1');
  expect(stdout).toContain(paths.map((path) => `File\t${path}\n`).join(''));
  const json = await at.svc('jobs show job_1 --json');
  expect(JSON.parse(json.stdout)).toMatchObject({ files: paths.map((path) => ({ path })) });
});

it.each(['show', 'wait', 'download'])(
  'svc jobs show svc jobs %s accepts only jobs of its own account',
  async (verb) => {
    const at = await begun('a');
    const before = at.requests.length;
    const other = await at.svc(`jobs ${verb} job_1`, { env: { SVC_API_KEY: 'sk-svc-another' } });
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toBe(
      `error: job_1 is a job of another account, at ${at.origin}\n` +
        'hint: use the key that created it, perhaps --profile default\n',
    );
    expect(at.requests).toHaveLength(before);
    expect(await at.svc(`jobs ${verb} job_9`)).toMatchObject({
      code: 3,
      stderr:
        'error: this account has no job job_9\n' + 'hint: list the jobs: `svc jobs list --all`\n',
    });
  },
);

const route = {
  provider: 'canvas',
  requestedModel: 'vendor/canvas',
  effectiveModel: 'vendor/canvas-2',
  addressAs: 'canvas/two',
  providerAlias: 'prime',
};
const uncertain = {
  status: 'submitting',
  errorCode: 'media_submission_uncertain',
  retryGuidance: 'keep polling',
  ...route,
};

it('the JSON of a job that is still under way when the time is over is the last state that the service reported', async () => {
  const at = await scene();
  at.media.states = [uncertain];
  for (const [line, code, last] of [
    ['generate vendor/canvas a --json --timeout 30', 8, uncertain],
    ['jobs wait job_1 --json --timeout 30', 8, [uncertain]],
    ['jobs show job_1 --json', 0, uncertain],
    ['jobs list --json', 0, [uncertain]],
    ['jobs download job_1 --json', 8, [{ errorCode: uncertain.errorCode }]],
  ] as const) {
    const result = await at.svc(line);
    expect(result.code).toBe(code);
    expect(JSON.parse(result.stdout)).toMatchObject(last);
  }
});

const accepted = { ok: true, jobId: 'job_7', status: 'processing', priceRub: 2, ...route };

it('the JSON of a job that has just been accepted passes on its route', async () => {
  const at = await scene();
  at.media.when('/api/media/generate', { status: 202, json: accepted });
  const { code, stdout } = await at.svc('generate vendor/canvas a --no-wait --json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 'job_7', status: 'processing', ...route });
});

it.each([
  ['', accepted],
  [' that wraps it', { ok: true, data: accepted }],
])(
  'the JSON of a job that has just been accepted passes it on of an extension, in a reply%s',
  async (_, json) => {
    const at = await begun('a');
    at.on('media.extendPrice', { answer: { json: { priceRub: 2 } } });
    at.on('media.extend', { answer: { status: 202, json } });
    const line = 'jobs extend job_1 rain --tier fast --no-wait --json';
    expect(JSON.parse((await at.svc(line)).stdout)).toMatchObject({ id: 'job_7', ...route });
    // The list has it from the ledger.
    const listed = await at.svc('jobs list --json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'job_7', ...route }, { id: 'job_1' }]);
  },
);

it.each([
  ['a sandbox job that never started', { stage: 'submission_not_started', charged: false }],
  ['a failed one', { status: 'fail', charged: false }],
])('a job that was not charged costs nothing, wherever it is reported: %s', async (_, last) => {
  const at = await begun('a');
  state(at, 0, { priceRub: 12.5, ...last });
  const free = { charged: false, cost: { priceRub: 0 } };
  expect(await jsonOf(at.svc('jobs show job_1 --json'))).toMatchObject(free);
  expect((await at.svc('jobs show job_1')).stdout).toContain('Price\t0.00 RUB\n');
  expect(await jsonOf(at.svc('jobs wait job_1 --json'))).toMatchObject([free]);
  expect((await at.svc('jobs wait job_1')).stderr).toContain('; nothing was charged\n');
  expect(await jsonOf(at.svc('jobs list --json'))).toMatchObject([{ cost: { priceRub: 0 } }]);
  expect((await at.svc('jobs list')).stdout).toContain('\t0\t');
});

/** Behind a good id, where several are taken. */
const lines = [
  ['jobs', 'show', '--'],
  ['jobs', 'wait', '--', 'job_0'],
  ['jobs', 'download', '--', 'job_0'],
  ['jobs', 'extend', '--tier', 'fast', '--'],
];

it.each([
  ['', '"" is not a job id'],
  ['.', '"." is not a job id'],
  ['job 1', '"job 1" is not a job id'],
  ['job_1\n', '"job_1" is not a job id'],
  ['job\u001b[31m', '"job [31m" is not a job id'],
  ['a/b', '"a/b" is not a job id'],
  ['https://svc.test/api/media/jobs/job_1', 'is not a job id'],
  ['j'.repeat(1025), 'is not a job id'],
])('the id of a job is not %j, for any verb', async (id, message) => {
  const at = await scene();
  for (const line of lines) {
    expect(await at.svc([...line, id])).toMatchObject(fails(2, message));
  }
  expect(at.requests).toEqual([]);
});

it.each(['j', '17', 'a:b', 'ünïque', 'job_%2F?#&=+~', '-x', '...', 'j'.repeat(1024)])(
  'the id of a job may be %s',
  async (id) => {
    const at = await scene();
    expect(await at.svc(['jobs', 'show', '--', id])).toMatchObject({ code: 3 });
    expect(at.calls()).toEqual([`GET /api/media/jobs/${encodeURIComponent(id)}`]);
  },
);

it('the id of a job accepts an unambiguous beginning of an id, and @last for the newest job', async () => {
  const at = await scene();
  const ids = ['job_abcd1', 'job_abcd2', 'job_wxyz3'];
  at.on('media.generate', { answer: () => ({ status: 202, json: { jobId: ids.shift() } }) });
  at.on(/\/jobs\//, { answer: { json: { status: 'success', resultUrls: [] } } });
  expect(await at.svc('jobs show @last')).toMatchObject({ code: 2, stdout: '' });
  for (const prompt of ['a', 'b', 'c']) {
    await at.svc(`generate vendor/canvas ${prompt} --no-wait -q`);
  }
  const shown = async (id: string) => (await at.svc(`jobs show ${id}`)).stdout.split('\n')[0];
  for (const id of ['job_wxyz', 'job_wxyz3', 'job_wxyz…', '@last']) {
    expect(await shown(id)).toBe('Job\tjob_wxyz3');
  }
  expect((await at.svc('jobs wait @last job_wxyz job_wxyz3')).stdout).toMatch(/^job_wxyz3\t.*\n$/);
  const before = at.calls().length;
  for (const line of ['show job_abcd', 'download job_abcd', 'extend job_abcd x --tier lite']) {
    expect(await at.svc(`jobs ${line}`)).toMatchObject({
      code: 2,
      stderr:
        'error: job_abcd is ambiguous: job_abcd1, job_abcd2\nhint: list the jobs: `svc jobs list --all`\n',
    });
  }
  expect(at.calls()).toHaveLength(before);
  // Too short to be more than the id of a job created elsewhere.
  await at.svc('jobs show job_wx');
  expect(at.calls().at(-1)).toBe('GET /api/media/jobs/job_wx');
});

it('the id of a job is whatever the service gave', async () => {
  const at = await scene();
  at.on('media.generate', { answer: { status: 202, json: { jobId: 'jobs/7 x' } } });
  at.on(/\/jobs\//, { answer: { json: { status: 'processing' } } });
  expect(await at.svc('generate vendor/canvas a --no-wait -q')).toMatchObject({ code: 0 });
  expect(await at.svc(['jobs', 'show', 'jobs/7 x'])).toMatchObject({ code: 0 });
  expect(at.calls().at(-1)).toBe('GET /api/media/jobs/jobs%2F7%20x');
});

it.each([
  [[], 1, 'downloading'],
  [[], 3, 'downloading 3 files'],
  [[{ bytes: 5000, totalBytes: undefined }], 1, 'downloading 5.0 kB'],
  [[{ bytes: 500, totalBytes: 1000 }], 2, 'downloading 2 files 500 B'],
  [[{ bytes: 500, totalBytes: 1000 }], 1, 'downloading ██████████░░░░░░░░░░ 500 B of 1.0 kB'],
  [
    [
      { bytes: 1000, totalBytes: 1000 },
      { bytes: 1000, totalBytes: 1000 },
    ],
    2,
    'downloading 2 files ████████████████████ 2.0 kB of 2.0 kB',
  ],
  [[{ bytes: 0, totalBytes: 0 }], 1, 'downloading'],
])('shows %j of %i downloads', (all, count, line) => {
  expect(progressLine(all, count)).toBe(line);
});
