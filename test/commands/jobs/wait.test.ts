import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/cli/main.js';
import { refusal, type Reply } from '../../helpers/fake-media.js';
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
    expect(stderr.endsWith('fetch the results: svc jobs download job_1\n')).toBe(true);
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
      stderr: 'no job is under way\n',
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
        'hint: see what is known of each: `svc jobs show ID`\n',
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
      'error: 2 of 2 jobs are still under way\n' +
        'hint: they go on by themselves: `svc jobs wait --all`\n',
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
    const who = what === '--all' ? 'they go' : `${what} goes`;
    expect(stderr).toBe(`${who} on without svc; come back: svc jobs wait ${what}\n`);
  });

  it.each([
    ['jobs wait', 'no job is named'],
    ['jobs download', 'no job is named'],
    ['jobs wait job_1 --all', 'ids and --all cannot go together'],
    ['jobs download job_1 --all', 'ids and --all cannot go together'],
    ['jobs download --all -o -', '-o - and several jobs cannot go together'],
  ])('refuses %s', async (line, message) => {
    const at = await scene();
    const result = await at.svc(line);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(at.requests).toEqual([]);
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
      stderr: 'price: 3.50 RUB\n',
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
    expect(result.stderr).toContain('error: it costs 3.50 RUB, more than --max-price 3.00 RUB');
    expect(at.sent()).toEqual([]);
  });

  it('exceeds no ceiling unnoticed where the service names no price', async () => {
    const at = await extending();
    at.media.when('/extend/price', { json: { ok: true } });
    const result = await at.extend('rain --tier fast --max-price 3 --yes');
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(
      'error: the service names no price to hold --max-price against',
    );
    expect(at.sent()).toEqual([]);
    expect(await at.extend('rain --tier fast --yes')).toMatchObject({ code: 0 });
  });

  it('is sent once, whatever its outcome, and never again by the list', async () => {
    const at = await extending(badGateway);
    const result = await at.extend('rain --tier fast');
    expect(result.code).toBe(10);
    expect(result.stderr).toContain(
      'hint: check whether it was carried out before you send it again: `svc usage list`\n',
    );
    const list = await at.svc('jobs list');
    expect(list.stdout).toMatch(/^-\tvendor\/canvas\tuncertain\t3.50 RUB\t/);
    expect(list.stderr).toBe('');
    expect(at.sent()).toHaveLength(1);
  });

  it.each([
    ['rain', '--tier is missing: lite, fast or quality'],
    ['--tier fast', 'the prompt is empty'],
    ['rain --tier fast --no-wait', '--no-wait has no result to write or show'],
    ['rain --tier fast --quote', '--quote has no result to write or show'],
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
