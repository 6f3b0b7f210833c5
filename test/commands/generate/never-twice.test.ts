import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileTrouble } from '../../../src/files/file-trouble.js';
import { StateDatabase } from '../../../src/state/database.js';
import { refusal, type Reply } from '../../helpers/fake-media.js';
import { scene, type Scene } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

/** From now on nothing can be written into the ledger. */
function fillDisk(): void {
  vi.spyOn(StateDatabase.prototype, 'run').mockImplementation(function (this: StateDatabase) {
    const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    throw fileTrouble(full, `the job ledger ${this.path} cannot be written`);
  });
}
afterEach(() => {
  vi.restoreAllMocks();
});

const badGateway: Reply = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  bytes: Buffer.from('<html><title>502 Bad Gateway</title></html>'),
};
/** A service whose first answers are lost although it has begun the job. */
async function losing(times = 3) {
  const at = await scene();
  const lose = () =>
    at.on('media.generate', {
      times,
      first: (seen) => void at.media.answer(seen),
      answer: badGateway,
    });
  lose();
  return { ...at, lose };
}

const types = (at: Scene) => at.ledger().map(({ type }) => type);

describe('a job', () => {
  it('is in the ledger, with its key and its bytes, before they are sent', async () => {
    const at = await scene();
    let written: unknown;
    let sent = {};
    at.on('media.generate', {
      first: ({ headers, body }) => {
        [written] = at.ledger();
        sent = { intent: headers['idempotency-key'], body };
      },
    });
    expect(await at.make('a lighthouse')).toMatchObject({ code: 0 });
    expect(written).toMatchObject({
      type: 'wanted',
      kind: 'generate',
      model: 'vendor/canvas',
      quotedRub: 12.5,
      account: { profile: 'default', service: at.origin },
    });
    expect(written).toMatchObject(sent);
    expect(types(at)).toEqual(['wanted', 'accepted', 'reported', 'saved', 'closed']);
  });

  it('is not sent when it cannot be recorded', async () => {
    const at = await scene();
    fillDisk();
    expect(await at.make('x -q')).toMatchObject(fails(11, 'cannot be written: the disk is full\n'));
    expect(at.keys()).toEqual([]);
  });

  it('whose id the ledger cannot store is still shown, and found again by its key', async () => {
    const at = await scene();
    at.on('media.generate', { first: fillDisk });
    const result = await at.svc('generate vendor/canvas x -q --no-wait');
    expect(result).toMatchObject({ code: 0, stdout: 'job_1\n' });
    expect(result.stderr).toMatch(
      /^warning: the job ledger .* cannot be written: the disk is full\n$/,
    );
    at.straighten();
    vi.restoreAllMocks();
    expect(types(at)).toEqual(['wanted']);
    at.leave();
    expect(await jsonOf(at.svc('jobs list --json'))).toMatchObject([{ id: 'job_1' }]);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('is sent again with the same key and bytes when the service says to try later', async () => {
    const at = await scene();
    const replies = [refusal(503, 'busy', 'later'), refusal(503, 'busy', 'later')];
    at.media.when('/api/media/generate', () => replies.shift());
    expect(await at.make()).toMatchObject({ code: 0 });
    expect(new Set(at.keys()).size).toBe(1);
    expect(at.keys()).toHaveLength(3);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('is one job when its answers get lost', async () => {
    const at = await losing(2);
    expect(await at.make()).toMatchObject({ code: 0 });
    expect(at.keys()).toHaveLength(3);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('whose outcome is not known ends with exit code 10 and the way to find out', async () => {
    const at = await losing();
    const result = await at.make('x -q');
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(result.stderr).toBe(
      'error: the service answered 502 with an HTML page (502 Bad Gateway); it may have been carried out and charged\n' +
        'hint: check whether it was carried out before you send it again: `svc jobs list`\n',
    );
    expect(types(at)).toEqual(['wanted', 'uncertain']);
  });

  it('whose outcome is not known is found by the list, with its key', async () => {
    const at = await losing();
    await at.make('x -q');
    const list = await at.svc('jobs list --json');
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(list.stdout)).toMatchObject([
      { id: 'job_1', status: 'success', model: 'vendor/canvas', cost: { priceRub: 12.5 } },
    ]);
    expect(new Set(at.keys()).size).toBe(1);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('whose outcome is not known is resumed when it is typed again', async () => {
    const at = await losing();
    await at.make('x --opt n=2');
    at.clock.pass(5000);
    const again = await at.make('x --opt n=2');
    expect(again).toMatchObject({
      code: 0,
      stderr:
        'resuming a request without an answer (started 5 s ago): nothing is paid twice; use --new to start another\n' +
        'sending the request for vendor/canvas (12.50 RUB) again with the same key\n' +
        'job job_1 accepted, 12.50 RUB\n',
    });
    expect(new Set(at.keys()).size).toBe(1);
    expect(at.media.jobs).toHaveLength(1);
    // Done with: the next is another one.
    await at.make('x --opt n=2');
    expect(at.media.jobs).toHaveLength(2);
  });

  it.each(['y', 'x --opt n=3', 'x --strict'])(
    'with another request is another job: %s',
    async (line) => {
      const at = await losing();
      await at.make('x --opt n=2');
      expect(await at.make(line)).toMatchObject({ code: 0 });
      expect(at.media.jobs).toHaveLength(2);
      expect(new Set(at.keys()).size).toBe(2);
    },
  );

  it('with the same source is the same request, wherever the file was uploaded to', async () => {
    const at = await losing();
    const photo = join(at.home, 'photo.png');
    writeFileSync(photo, Buffer.from('\x89PNG\r\n\x1a\n picture', 'latin1'));
    await at.make(['x', '--input', photo]);
    expect(await at.make(['x', '--input', photo])).toMatchObject({ code: 0 });
    expect(at.media.jobs).toHaveLength(1);
    writeFileSync(photo, Buffer.from('\x89PNG\r\n\x1a\n another', 'latin1'));
    at.lose();
    await at.make(['x', '--input', photo]);
    expect(at.media.jobs).toHaveLength(2);
    expect(new Set(at.keys()).size).toBe(2);
  });

  it('that was never sent is over: the same command starts again', async () => {
    const at = await scene();
    const env = { SVC_BASE_URL: 'http://127.0.0.1:1' };
    expect(await at.make('x', { env })).toMatchObject({ code: 6 });
    expect(at.ledger()).toEqual([]);
  });

  it('of another key or service is not resumed', async () => {
    const at = await losing();
    await at.make('x');
    expect(await at.make('x', { env: { SVC_API_KEY: 'sk-svc-another' } })).toMatchObject({
      code: 0,
    });
    expect(new Set(at.keys()).size).toBe(2);
  });
});

it.each(['', '..', 'j'.repeat(1025), 'job_1\nerror: forged', 'job\u001b[2J'])(
  'an invalid id %j is never reported as one',
  async (jobId) => {
    const at = await scene();
    at.media.when('/api/media/generate', { status: 202, json: { ok: true, jobId } });
    const result = await at.svc(['generate', 'vendor/canvas', 'x', '--no-wait']);
    expect(result).toMatchObject({ code: 10, stdout: '' });
    expect(at.ledger().map(({ type }) => type)).toEqual(['wanted', 'uncertain']);
  },
);

it('--idempotency-key gives the same job the second time, without a price or a submission', async () => {
  const at = await scene();
  await at.make('x --idempotency-key k1');
  const before = at.keys().length;
  at.clock.pass(1000);
  const again = await at.make('x --idempotency-key k1');
  expect(again).toMatchObject({
    code: 0,
    stdout: `${join(at.folder, 'vendor-canvas-job_1.png')}\n`,
    stderr: 'this key already belongs to job_1; resuming it\n',
  });
  const asJson = await at.make('x --idempotency-key k1 --json');
  expect(asJson.stderr).toBe(again.stderr);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ resumed: true });
  expect(at.keys()).toHaveLength(before);
  expect(at.media.jobs).toHaveLength(1);
  // The file is there, whole: it is not fetched again.
  expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(1);
});

it('--idempotency-key refuses another request under a key that has a job', async () => {
  const at = await scene();
  await at.make('x --idempotency-key k1');
  const result = await at.make('y --idempotency-key k1');
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toContain('error: the key k1 was used for another request');
  expect(at.media.jobs).toHaveLength(1);
});

it('--idempotency-key may be used for another request when the first was refused', async () => {
  const at = await scene();
  at.media.when('/api/media/generate', refusal(422, 'unsupported', 'no'));
  expect(await at.make('x --idempotency-key k1')).toMatchObject({ code: 3 });
  at.media.instead = () => undefined;
  expect(await at.make('y --idempotency-key k1')).toMatchObject({ code: 0 });
  expect(at.media.jobs).toHaveLength(1);
});

it.each(['', 'a b', 'ключ', 'x'.repeat(256)])('--idempotency-key cannot be %j', async (key) => {
  const at = await scene();
  expect(await at.make(['x', '--idempotency-key', key])).toMatchObject({ code: 2, stdout: '' });
  expect(at.keys()).toEqual([]);
});
