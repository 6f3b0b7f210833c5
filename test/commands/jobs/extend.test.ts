import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Reply } from '../../helpers/fake-media.js';
import { badGateway, begun } from './begun.js';
import { fails, jsonOf } from '../../helpers/run.js';

/** A service that extends. */
async function extending(reply: Reply = { status: 202, json: { jobId: 'job_2' } }) {
  const at = await begun('a');
  const resultUrls = [`${at.origin}/api/media/file/job_2/0`];
  at.on('media.extendPrice', { answer: { json: { ok: true, priceRub: 3.5 } } });
  at.on('media.extend', { answer: reply });
  at.on(/job_2$/, { answer: { json: { status: 'success', resultUrls } } });
  const extend = (line: string) =>
    at.svc(['jobs', 'extend', 'job_1', ...line.split(' '), '-o', `${at.folder}/`]);
  const sent = () =>
    at.requests
      .filter(({ url }) => url.endsWith('/extend'))
      .map(({ body }) => JSON.parse(body) as unknown);
  return { ...at, extend, sent };
}

it('svc jobs extend reports the price, extends, waits and downloads', async () => {
  const at = await extending();
  expect(await at.extend('rain --tier fast --seeds 7 --watermark me')).toMatchObject({
    code: 0,
    stdout: `${join(at.folder, 'vendor-canvas-job_2.png')}\n`,
    stderr: 'price: 3.50 RUB\njob job_2 accepted, 3.50 RUB\n',
  });
  expect(at.sent()).toEqual([
    { taskId: 'job_1', prompt: 'rain', tier: 'fast', seeds: 7, watermark: 'me' },
  ]);
  expect(await jsonOf(at.svc('jobs list --json'))).toMatchObject([
    { id: 'job_2', kind: 'extend', model: 'vendor/canvas', status: 'success' },
    { id: 'job_1' },
  ]);
});

it('svc jobs extend only reports the price with --quote', async () => {
  const at = await extending();
  const result = await at.svc('jobs extend job_1 --tier lite --quote');
  expect(result).toMatchObject({ code: 0, stdout: '3.50 RUB\n', stderr: '' });
  const json = await at.svc('jobs extend job_1 --tier lite --quote --json');
  expect(JSON.parse(json.stdout)).toEqual({ ok: true, priceRub: 3.5 });
  expect(at.sent()).toEqual([]);
});

it('svc jobs extend costs no more than --max-cost', async () => {
  const at = await extending();
  const result = await at.extend('rain --tier fast --max-cost 3');
  expect(result).toMatchObject({ code: 5, stdout: '' });
  expect(result.stderr).toContain('may cost up to 3.50 RUB, more than --max-cost 3.00 RUB');
  expect(at.sent()).toEqual([]);
});

it('svc jobs extend exceeds no ceiling unnoticed where the service names no price', async () => {
  const at = await extending();
  at.on('media.extendPrice', { answer: { json: { ok: true } } });
  expect(await at.extend('rain --tier fast --max-cost 3 --yes')).toMatchObject(
    fails(5, 'error: the service gives no price to compare with --max-cost'),
  );
  expect(at.sent()).toEqual([]);
  expect(await at.extend('rain --tier fast --yes')).toMatchObject({ code: 0 });
});

it('svc jobs extend is sent once, whatever its outcome, and never again by the list', async () => {
  const at = await extending(badGateway);
  const result = await at.extend('rain --tier fast');
  expect(result.code).toBe(10);
  expect(result.stderr).toContain(
    'hint: check whether it was carried out before you send it again: `svc usage list`\n',
  );
  const list = await at.svc('jobs list');
  expect(list.stdout).toMatch(/^-\tvendor\/canvas\tunknown\t3.5\t/);
  expect(list.stderr).toBe('');
  expect(at.sent()).toHaveLength(1);
});
