import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/cli/main.js';
import { png, refusal, type Reply } from '../../helpers/fake-media.js';
import { scene } from '../generate/scene.js';
import { badGateway, begun, state } from './begun.js';

describe('svc jobs wait', () => {
  it('waits for one job and reports how it ended', async () => {
    const at = await begun('a');
    state(at, 0, { status: 'processing' }, { status: 'processing' }, { status: 'success' });
    expect(await at.svc('jobs wait job_1')).toMatchObject({
      code: 0,
      stdout: 'job_1\tsuccess\t12.50 RUB\n',
      stderr: '',
    });
    const { stderr } = await at.svc('jobs wait job_1', { tty: { stderr: true } });
    expect(stderr.endsWith('to download the results: svc jobs download job_1\n')).toBe(true);
  });

  it('waits for all that are in progress', async () => {
    const at = await begun('a', 'b', 'c');
    state(at, 2, { status: 'processing' }, { status: 'success' });
    const result = await at.svc('jobs wait --all');
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(
      ['job_1', 'job_2', 'job_3'].map((id) => `${id}\tsuccess\t12.50 RUB\n`).join(''),
    );
    expect(await at.svc('jobs wait --all')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no job is in progress\n',
    });
    expect(await at.svc('jobs wait --all --json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  it('ends with exit code 9 when the only job failed', async () => {
    const at = await begun('a');
    state(at, 0, { status: 'fail', failMsg: 'no', errorCode: 'moderation' });
    const result = await at.svc('jobs wait job_1');
    expect(result).toMatchObject({ code: 9, stdout: 'job_1\tfail\t12.50 RUB\n' });
    expect(result.stderr).toContain('error: job_1 failed: no\n');
  });

  it('ends with exit code 12 when some of several failed', async () => {
    const at = await begun('a', 'b');
    state(at, 1, { status: 'fail', failMsg: 'no' });
    const result = await at.svc('jobs wait job_1 job_2 job_1');
    expect(result.code).toBe(12);
    expect(result.stdout).toBe('job_1\tsuccess\t12.50 RUB\njob_2\tfail\t12.50 RUB\n');
    expect(result.stderr).toBe(
      'error: 1 of 2 jobs did not succeed:\n  job_2 failed: no\n' +
        'hint: see the details of each: `svc jobs show ID`\n',
    );
    const json = await at.svc('jobs wait job_1 job_2 --json');
    expect(json.code).toBe(12);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { job: 'job_1', status: 'success' },
      { job: 'job_2', status: 'fail', error: { code: 'job_failed', message: 'job_2 failed: no' } },
    ]);
  });

  it('ends with exit code 8 when the time is over', async () => {
    const at = await begun('a', 'b');
    state(at, 0, { status: 'processing' });
    state(at, 1, { status: 'processing' });
    const one = await at.svc('jobs wait job_1 --timeout 1m');
    expect(one).toMatchObject({ code: 8, stdout: 'job_1\tpending\t12.50 RUB\n' });
    const both = await at.svc('jobs wait --all --timeout 1m');
    expect(both.code).toBe(8);
    expect(both.stderr).toBe(
      'error: 2 of 2 jobs are still in progress\n' +
        'hint: they continue without svc: `svc jobs wait --all`\n',
    );
  });

  it.each(['job_1', '--all'])('%s that is interrupted says how to come back', async (what) => {
    const at = await begun('a', 'b');
    const abort = new AbortController();
    at.media.instead = ({ url }) => {
      if (url.includes('/jobs/')) abort.abort(new Interrupted('SIGINT'));
      return undefined;
    };
    const { code, stdout, stderr } = await at.svc(`jobs wait ${what}`, { signal: abort.signal });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    const who = what === '--all' ? 'they continue' : `${what} continues`;
    expect(stderr).toBe(`${who} without svc; to wait: svc jobs wait ${what}\n`);
  });

  it.each([
    ['jobs wait', 'no job is given'],
    ['jobs download', 'no job is given'],
    ['jobs wait job_1 --all', 'ids and --all cannot be combined'],
    ['jobs download job_1 --all', 'ids and --all cannot be combined'],
    ['jobs download --all -o -', '-o - takes the result of one job'],
  ])('refuses %s', async (line, message) => {
    const at = await scene();
    const result = await at.svc(line);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(at.requests).toEqual([]);
  });
});

describe('the results of a command that was interrupted', () => {
  const row = 'job_1\tsuccess\t12.50 RUB\n';

  /** `generate` with this -o, interrupted while its job runs. */
  async function interrupted(output: string) {
    const at = await scene();
    const abort = new AbortController();
    at.media.instead = ({ url }) => {
      if (url.includes('/jobs/')) abort.abort(new Interrupted('SIGINT'));
      return undefined;
    };
    const line = ['generate', 'vendor/canvas', 'x', '-o', `${at.folder}/${output}`];
    const again = () => at.svc(line);
    expect(await at.svc(line, { signal: abort.signal })).toMatchObject({ code: 130 });
    at.media.instead = () => undefined;
    return { ...at, again };
  }

  it.each([
    ['a.png', 'a.png'],
    ['new/folder/', 'new/folder/vendor-canvas-job_1.png'],
    ['{job}-{index}.{ext}', 'job_1-0.png'],
  ])('are saved by wait as -o %s said: %s', async (output, name) => {
    const at = await interrupted(output);
    const path = join(at.folder, name);
    const waited = await at.svc('jobs wait job_1');
    expect(waited).toMatchObject({ code: 0, stdout: row, stderr: `saved ${path} (48 B)\n` });
    expect(readFileSync(path)).toEqual(png);
    const json = await at.svc('jobs wait job_1 --json');
    expect(JSON.parse(json.stdout)).toMatchObject([{ job: 'job_1', files: [{ index: 0, path }] }]);
    // The same command still resumes the run, and pays for nothing.
    expect(await at.again()).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(at.media.jobs).toHaveLength(1);
  });

  it('are left alone with --no-download, and saved there by download', async () => {
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

  it('replace no file, and say how to get them', async () => {
    const at = await interrupted('a.png');
    writeFileSync(join(at.folder, 'a.png'), 'mine');
    const waited = await at.svc('jobs wait job_1');
    expect(waited).toMatchObject({ code: 11, stdout: row });
    expect(waited.stderr).toContain('hint: the job is paid for: svc jobs download job_1\n');
    expect(await at.svc('jobs download job_1')).toMatchObject({ code: 11, stdout: '' });
    expect(readFileSync(join(at.folder, 'a.png'), 'utf8')).toBe('mine');
  });

  it('that cannot be downloaded end with exit code 12', async () => {
    const at = await interrupted('a.png');
    at.media.when('/file/', refusal(503, 'busy', 'busy now'));
    const waited = await at.svc('jobs wait job_1');
    expect(waited).toMatchObject({ code: 12, stdout: row });
    expect(waited.stderr).toContain('error: job_1 is finished, but was not downloaded: busy now\n');
  });
});

describe('svc jobs extend', () => {
  /** A service that extends. */
  async function extending(reply: Reply = { status: 202, json: { jobId: 'job_2' } }) {
    const at = await begun('a');
    at.media.instead = ({ url, method }) => {
      if (url === '/api/media/svc/extend/price') return { json: { ok: true, priceRub: 3.5 } };
      if (url === '/api/media/svc/extend') return reply;
      if (method === 'GET' && url === '/api/media/jobs/job_2') {
        return { json: { status: 'success', resultUrls: [`${at.origin}/api/media/file/job_2/0`] } };
      }
      return undefined;
    };
    const extend = (line: string) =>
      at.svc(['jobs', 'extend', 'job_1', ...line.split(' '), '-o', `${at.folder}/`]);
    const sent = () =>
      at.requests
        .filter(({ url }) => url.endsWith('/extend'))
        .map(({ body }) => JSON.parse(body) as unknown);
    return { ...at, extend, sent };
  }

  it('reports the price, extends, waits and downloads', async () => {
    const at = await extending();
    const result = await at.extend('rain --tier fast --seeds 7 --watermark me');
    expect(result).toMatchObject({
      code: 0,
      stdout: `${join(at.folder, 'vendor-canvas-job_2.png')}\n`,
      stderr: 'price: 3.50 RUB\njob job_2 accepted, 3.50 RUB\n',
    });
    expect(at.sent()).toEqual([
      { taskId: 'job_1', prompt: 'rain', tier: 'fast', seeds: 7, watermark: 'me' },
    ]);
    const { stdout } = await at.svc('jobs list --json');
    expect(JSON.parse(stdout)).toMatchObject([
      { job: 'job_2', kind: 'extend', model: 'vendor/canvas', status: 'success' },
      { job: 'job_1' },
    ]);
  });

  it('only reports the price with --quote', async () => {
    const at = await extending();
    const result = await at.svc('jobs extend job_1 --tier lite --quote');
    expect(result).toMatchObject({ code: 0, stdout: '3.50 RUB\n', stderr: '' });
    const json = await at.svc('jobs extend job_1 --tier lite --quote --json');
    expect(JSON.parse(json.stdout)).toEqual({ ok: true, priceRub: 3.5 });
    expect(at.sent()).toEqual([]);
  });

  it('costs no more than --max-price', async () => {
    const at = await extending();
    const result = await at.extend('rain --tier fast --max-price 3');
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('error: the price is 3.50 RUB, above --max-price 3.00 RUB');
    expect(at.sent()).toEqual([]);
  });

  it('exceeds no ceiling unnoticed where the service names no price', async () => {
    const at = await extending();
    at.media.when('/extend/price', { json: { ok: true } });
    const result = await at.extend('rain --tier fast --max-price 3 --yes');
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(
      'error: the service gives no price to compare with --max-price',
    );
    expect(at.sent()).toEqual([]);
    expect(await at.extend('rain --tier fast --yes')).toMatchObject({ code: 0 });
  });

  it('is sent once, whatever its outcome, and never again by the list', async () => {
    const at = await extending(badGateway);
    const result = await at.extend('rain --tier fast');
    expect(result.code).toBe(10);
    expect(result.stderr).toContain(
      'hint: look whether it was carried out before you send it again: `svc usage list`\n',
    );
    const list = await at.svc('jobs list');
    expect(list.stdout).toMatch(/^-\tvendor\/canvas\tuncertain\t3.50 RUB\t/);
    expect(list.stderr).toBe('');
    expect(at.sent()).toHaveLength(1);
  });

  it.each([
    ['rain', '--tier is required: lite, fast or quality'],
    ['--tier fast', 'the prompt is empty'],
    ['rain --tier fast --no-wait', '--no-wait leaves no result to save or open'],
    ['rain --tier fast --quote', '--quote leaves no result to save or open'],
  ])('refuses %s', async (line, message) => {
    const at = await extending();
    const result = await at.extend(line);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(at.sent()).toEqual([]);
  });

  it.each([
    [refusal(402, 'insufficient_balance', 'too little'), 5],
    [refusal(404, 'job_not_found', 'no such job'), 3],
  ])('that is refused cost nothing', async (reply, code) => {
    const at = await extending(reply);
    expect(await at.extend('rain --tier fast')).toMatchObject({ code, stdout: '' });
    expect(at.ledger().at(-1)).toMatchObject({ type: 'dropped', why: 'refused' });
  });
});
