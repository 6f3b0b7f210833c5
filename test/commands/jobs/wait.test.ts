import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { png, refusal } from '../../helpers/fake-media.js';
import { scene } from '../generate/scene.js';
import { fails, jsonOf } from '../../helpers/run.js';
import { newOwner, releaseOwner } from '../../../src/files/owner.js';
import { changeLedger } from '../../helpers/state.js';
import { begun, state } from './begun.js';

it('svc jobs wait waits for one job and reports how it ended', async () => {
  const at = await begun('a');
  state(at, 0, { status: 'processing' }, { status: 'processing' }, { status: 'success' });
  expect(await at.svc('jobs wait job_1')).toMatchObject({
    code: 0,
    stdout: 'job_1\tdone\t12.5\n',
    stderr: '',
  });
  const { stderr } = await at.svc('jobs wait job_1', { tty: { stderr: true } });
  expect(stderr.endsWith('to download the results: svc jobs download job_1\n')).toBe(true);
});

it('svc jobs wait -o saves the results of all, also of jobs that nobody waited for', async () => {
  const at = await begun('a', 'b');
  const paths = ['1', '2'].map((id) => join(at.folder, `vendor-canvas-job_${id}.png`));
  const line = ['jobs', 'wait', 'job_1', 'job_2'];
  const named = await at.svc([...line, '-o', join(at.folder, 'one.png')]);
  expect(named).toMatchObject(fails(2, 'takes the result of one job'));
  expect(await at.svc([...line, '-o', '-'])).toMatchObject(fails(2, 'svc jobs download ID -o -'));
  expect(at.calls().filter((call) => call.startsWith('GET'))).toEqual([]);
  expect(await at.svc([...line, '-o', `${at.folder}/`])).toMatchObject({
    code: 0,
    stdout: 'job_1\tdone\t12.5\njob_2\tdone\t12.5\n',
    stderr: paths.map((path) => `saved ${path} (48 B)\n`).join(''),
  });
  expect(paths.map((path) => readFileSync(path))).toEqual([png, png]);
  const json = await jsonOf(at.svc(['jobs', 'wait', 'job_1', '--json', '-o', `${at.folder}/`]));
  expect(json).toMatchObject([{ id: 'job_1', files: [{ path: paths[0] }] }]);
  const one = join(at.folder, 'one.png');
  expect(await at.svc(['jobs', 'wait', '@last', '-o', one])).toMatchObject({ code: 0 });
  expect(readFileSync(one)).toEqual(png);
  // Nothing is left to wait for, so a name of one result is no mistake.
  const idle = await at.svc(['jobs', 'wait', '--all', '-o', one]);
  expect(idle).toMatchObject({ code: 0, stderr: 'no job is in progress\n' });
});

it('svc jobs wait waits for all that are in progress', async () => {
  const at = await begun('a', 'b', 'c');
  state(at, 2, { status: 'processing' }, { status: 'success' });
  expect(await at.svc('jobs wait --all')).toMatchObject({
    code: 0,
    stdout: ['job_1', 'job_2', 'job_3'].map((id) => `${id}\tdone\t12.5\n`).join(''),
  });
  expect(await at.svc('jobs wait --all')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no job is in progress\n',
  });
  expect(await at.svc('jobs wait --all --json')).toMatchObject({ code: 0, stdout: '[]\n' });
});

it('svc jobs wait ends with exit code 9 when the only job failed', async () => {
  const at = await begun('a');
  state(at, 0, { status: 'fail', failMsg: 'no', errorCode: 'moderation' });
  const result = await at.svc('jobs wait job_1');
  expect(result).toMatchObject({ code: 9, stdout: 'job_1\tfailed\t12.5\n' });
  expect(result.stderr).toContain('error: job_1 failed: no\n');
});

it('svc jobs wait ends with exit code 12 when some of several failed', async () => {
  const at = await begun('a', 'b');
  state(at, 1, { status: 'fail', failMsg: 'no' });
  const result = await at.svc('jobs wait job_1 job_2 job_1');
  expect(result.code).toBe(12);
  expect(result.stdout).toBe('job_1\tdone\t12.5\njob_2\tfailed\t12.5\n');
  expect(result.stderr).toBe(
    'error: 1 of 2 jobs did not succeed:\n  job_2 failed: no\n' +
      'hint: see the details of each: `svc jobs show ID`\n',
  );
  const json = await at.svc('jobs wait job_1 job_2 --json');
  expect(json.code).toBe(12);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { id: 'job_1', status: 'success' },
    {
      id: 'job_2',
      state: 'failed',
      status: 'fail',
      error: { code: 'job_failed', message: 'job_2 failed: no' },
    },
  ]);
});

it('svc jobs wait ends with exit code 8 when the time is over', async () => {
  const at = await begun('a', 'b');
  state(at, 0, { status: 'processing' });
  state(at, 1, { status: 'processing' });
  const one = await at.svc('jobs wait job_1 --timeout 1m');
  expect(one).toMatchObject({ code: 8, stdout: 'job_1\trunning\t12.5\n' });
  const both = await at.svc('jobs wait --all --timeout 1m');
  expect(both.code).toBe(8);
  expect(both.stderr).toBe(
    'error: 2 of 2 jobs are still in progress\n' +
      'hint: they continue without svc: `svc jobs wait --all`\n',
  );
});

it.each(['job_1', '--all'])(
  'svc jobs wait %s that is interrupted says how to come back',
  async (what) => {
    const at = await begun('a', 'b');
    const abort = new AbortController();
    at.on(/\/jobs\//, { first: () => abort.abort(new Interrupted('SIGINT')) });
    const { code, stdout, stderr } = await at.svc(`jobs wait ${what}`, { signal: abort.signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const who = what === '--all' ? 'they continue' : `${what} continues`;
    expect(stderr).toBe(`${who} without svc; to wait: svc jobs wait ${what}\n`);
  },
);

/** `generate` with this -o, interrupted while its job runs. */
async function interrupted(output: string) {
  const at = await scene();
  const abort = new AbortController();
  at.on(/\/jobs\//, { first: () => abort.abort(new Interrupted('SIGINT')) });
  const line = ['generate', 'vendor/canvas', 'x', '-o', `${at.folder}/${output}`];
  const again = () => at.svc(line);
  expect(await at.svc(line, { signal: abort.signal })).toMatchObject({ code: 130 });
  at.straighten();
  return { ...at, again };
}

const row = 'job_1\tdone\t12.5\n';

it.each([
  ['a.png', 'a.png'],
  ['new/folder/', 'new/folder/vendor-canvas-job_1.png'],
  ['{job}-{index}.{ext}', 'job_1-0.png'],
])(
  'the results of a command that was interrupted are saved by wait as -o %s said: %s',
  async (output, name) => {
    const at = await interrupted(output);
    const path = join(at.folder, name);
    const waited = await at.svc('jobs wait job_1');
    expect(waited).toMatchObject({ code: 0, stdout: row, stderr: `saved ${path} (48 B)\n` });
    expect(readFileSync(path)).toEqual(png);
    const json = await at.svc('jobs wait job_1 --json');
    expect(JSON.parse(json.stdout)).toMatchObject([{ id: 'job_1', files: [{ index: 0, path }] }]);
    // The same command still resumes the run, and pays for nothing.
    expect(await at.again()).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(at.media.jobs).toHaveLength(1);
  },
);

it('the results of a command that was interrupted are left alone with --no-download, and saved there by download', async () => {
  const at = await interrupted('a.png');
  expect(await at.svc('jobs wait job_1 --no-download')).toMatchObject({
    stdout: row,
    stderr: '',
  });
  expect(at.files()).toEqual({});
  const path = join(at.folder, 'a.png');
  expect(await at.svc('jobs download job_1')).toMatchObject({ code: 0, stdout: `${path}\n` });
  expect(at.files()).toEqual({ 'a.png': png });
});

it('the results of a command that was interrupted are left to the command while it still runs', async () => {
  const at = await interrupted('a.png');
  const owner = await newOwner();
  changeLedger(at.home, (texts) => {
    return [...texts, JSON.stringify({ type: 'resumed', intent: at.keys()[0], atMs: 1, owner })];
  });
  expect(await at.svc('jobs wait job_1')).toMatchObject({ code: 0, stdout: row, stderr: '' });
  releaseOwner(owner);
  expect(at.files()).toEqual({});
});

it('the results of a command that was interrupted replace no file, and say how to get them', async () => {
  const at = await interrupted('a.png');
  writeFileSync(join(at.folder, 'a.png'), 'mine');
  const waited = await at.svc('jobs wait job_1');
  expect(waited).toMatchObject({ code: 11, stdout: row });
  expect(waited.stderr).toContain('hint: the job is paid for: svc jobs download job_1\n');
  expect(await at.svc('jobs download job_1')).toMatchObject({ code: 11, stdout: '' });
  expect(readFileSync(join(at.folder, 'a.png'), 'utf8')).toBe('mine');
});

it('the results of a command that was interrupted results that cannot be downloaded end with exit code 12', async () => {
  const at = await interrupted('a.png');
  at.media.when('/file/', refusal(503, 'busy', 'busy now'));
  const waited = await at.svc('jobs wait job_1');
  expect(waited).toMatchObject({ code: 12, stdout: row });
  expect(waited.stderr).toContain('error: job_1 is finished, but was not downloaded: busy now\n');
});

const hostile = `j"$(touch /nowhere-1)'\`id\`;*`;

it.skipIf(process.platform === 'win32')(
  'svc jobs wait --exec runs a command per ended job, and no word of the service',
  async () => {
    const at = await scene();
    at.on('media.generate', { answer: { status: 202, json: { jobId: hostile } } });
    at.on(/\/jobs\//, { answer: { json: { status: 'fail', charged: false } } });
    await at.svc('generate vendor/canvas a --no-wait -q');
    const file = join(at.folder, 'out');
    const command = `printf '%s|' {job} "a {job}" 'b '{state} "it's {file}" '\\' 'c {job}' >> '${file}'`;
    expect((await at.svc(['jobs', 'wait', '@last', '--exec', command])).code).toBe(9);
    const words = [hostile, `a ${hostile}`, 'b failed', "it's ", '\\', `c ${hostile}`];
    expect(readFileSync(file, 'utf8')).toBe(words.map((word) => `${word}|`).join(''));
  },
);

it.skipIf(process.platform === 'win32')(
  'svc jobs wait --exec gives it the first result, and ends with 12 if it fails',
  async () => {
    const at = await interrupted('a.png');
    const there = join(at.folder, 'copy of a.png');
    const copied = await at.svc([
      'jobs',
      'wait',
      '--all',
      '--exec',
      `cp {file} '${there}'; exit 3`,
    ]);
    expect(copied).toMatchObject({ code: 12, stdout: 'job_1\tdone\t12.5\n' });
    expect(copied.stderr).toContain('error: the --exec command for job_1 ended with 3\n');
    expect(readFileSync(there)).toEqual(png);
  },
);

it('svc jobs wait --notify rings a terminal, and nothing else', async () => {
  const at = await begun('a', 'b');
  const one = await at.svc('jobs wait job_1 --notify', { tty: { stderr: true } });
  expect(one.stderr).toContain('\u001b]9;svc: job_1: done\u0007\u0007');
  const two = await at.svc('jobs wait job_1 job_2 --notify', { tty: { stderr: true } });
  expect(two.stderr).toContain('\u001b]9;svc: 2 jobs ended\u0007\u0007');
  expect((await at.svc('jobs wait job_1 --notify')).stderr).toBe('');
});
