import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png, refusal } from '../../helpers/fake-media.js';
import type { Scene } from '../generate/scene.js';
import { begun, state } from './begun.js';
import { changeLedger, forgetEnd } from '../../helpers/state.js';
import { fails, jsonOf } from '../../helpers/run.js';

describe('svc jobs download', () => {
  const into = (at: Scene) => ['-o', `${at.folder}/`];

  it('fetches the results of a job once', async () => {
    const at = await begun('a');
    const path = join(at.folder, 'vendor-canvas-job_1.png');
    const first = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    expect(first).toMatchObject({ code: 0, stdout: `${path}\n`, stderr: '' });
    expect(readFileSync(path)).toEqual(png);
    expect(await at.svc(['jobs', 'download', 'job_1', ...into(at)])).toMatchObject({
      code: 0,
      stdout: `${path}\n`,
      stderr: `${path} already exists (48 B)\n`,
    });
    expect(
      await jsonOf(at.svc(['jobs', 'download', 'job_1', '--json', ...into(at)])),
    ).toMatchObject([{ id: 'job_1', status: 'success', files: [{ index: 0, bytes: 48, path }] }]);
    expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(1);
    expect(Object.keys(at.files())).toEqual(['vendor-canvas-job_1.png']);
  });

  it('records nothing about a job that is not found: the same prompt does not pay for another', async () => {
    const at = await begun('a');
    at.media.when('/jobs/job_1', refusal(404, 'not_found', 'No such job.'));
    const result = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(at.ledger().filter(({ type }) => type === 'reported')).toEqual([]);
  });

  it.each([
    ['gone', (path: string) => rmSync(path)],
    ['cut short', (path: string) => writeFileSync(path, 'x')],
    ['something else of its length', (path: string) => writeFileSync(path, 'x'.repeat(48))],
  ])('fetches again what is %s', async (_, spoil) => {
    const at = await begun('a');
    await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    spoil(join(at.folder, 'vendor-canvas-job_1.png'));
    const again = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    const path = again.stdout.trimEnd();
    expect(readFileSync(path)).toEqual(png);
    expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(2);
  });

  it.each([
    ['a page', Buffer.from('<html>sign in</html>'), 'an HTML page'],
    ['JSON', Buffer.from('{"ok":false,"message":"busy"}'), 'JSON'],
    ['nothing', Buffer.alloc(0), 'nothing'],
  ])('does not accept %s as a result, to a file or to a pipe', async (_, bytes, what) => {
    const at = await begun('a');
    at.media.results = [bytes];
    for (const output of [`${at.folder}/`, '-']) {
      const result = await at.svc(['jobs', 'download', 'job_1', '-o', output]);
      expect(result).toMatchObject({ code: 12, stdout: '' });
      expect(result.stderr).toBe(
        `error: job_1: the service answered 200 with ${what} instead of a result\n` +
          'hint: the job is paid for: `svc jobs download job_1`\n',
      );
    }
    expect(at.files()).toEqual({});
    expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(6);
  });

  it('gets the result when a page came instead only once', async () => {
    const at = await begun('a');
    at.on('media.file', { nth: 1, answer: { bytes: Buffer.from('<html>') } });
    const result = await at.svc(['jobs', 'download', 'job_1', '-o', '-']);
    expect(result.stdoutBytes).toEqual(png);
    expect(result.code).toBe(0);
    expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(2);
  });

  it('downloads existing files again with --force', async () => {
    const at = await begun('a');
    for (const output of [`${at.folder}/`, join(at.folder, 'mine.png')]) {
      await at.svc(['jobs', 'download', 'job_1', '-o', output]);
      const again = await at.svc(['jobs', 'download', 'job_1', '--force', '-o', output]);
      expect(again).toMatchObject({ code: 0, stderr: '' });
    }
    expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(4);
    expect(Object.keys(at.files())).toEqual(['mine.png', 'vendor-canvas-job_1.png']);
  });

  it('recognises its result by the ledger before it gets its name', async () => {
    const at = await begun('a');
    const path = join(at.folder, 'vendor-canvas-job_1.png');
    writeFileSync(path, 'mine');
    await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    const saved = at.ledger().filter(({ type }) => type === 'saved');
    expect(saved.map(({ path: name }) => name)).toEqual([
      path,
      join(at.folder, 'vendor-canvas-job_1-2.png'),
    ]);
    expect(saved[0]?.['sha256']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('fetches with --all what a killed run was about to give its name', async () => {
    const at = await begun('a');
    await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    forgetEnd(at.home);
    const all = () => at.svc(['jobs', 'download', '--all', ...into(at)]);
    expect(await all()).toMatchObject({ code: 0, stdout: '' });
    rmSync(join(at.folder, 'vendor-canvas-job_1.png'));
    expect(await all()).toMatchObject({ code: 0 });
    expect(at.files()).toEqual({ 'vendor-canvas-job_1.png': png });
  });

  describe('of a job from another machine', () => {
    /** The same account, where nothing is known of the jobs. */
    async function elsewhere() {
      const at = await begun('a');
      at.media.results = [png, Buffer.concat([png, png])];
      changeLedger(at.home, () => []);
      return at;
    }

    it('fetches once', async () => {
      const at = await elsewhere();
      const paths = [0, 1].map((nth) => join(at.folder, `vendor-canvas-job_1-${String(nth)}.png`));
      const first = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
      expect(first).toMatchObject({ code: 0, stdout: `${paths.join('\n')}\n`, stderr: '' });
      const again = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
      expect(again).toMatchObject({ code: 0, stdout: first.stdout });
      expect(again.stderr).toBe(
        `${String(paths[0])} already exists (48 B)\n${String(paths[1])} already exists (96 B)\n`,
      );
      expect(at.calls().filter((call) => call.includes('/file/'))).toHaveLength(2);
      expect(Object.keys(at.files())).toHaveLength(2);
    });

    it('does not use the job of another account', async () => {
      const at = await elsewhere();
      await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
      const env = { SVC_API_KEY: 'sk-svc-another' };
      const other = await at.svc(['jobs', 'download', 'job_1', ...into(at)], { env });
      expect(other).toMatchObject({ code: 0, stderr: '' });
      expect(Object.keys(at.files())).toHaveLength(4);
    });
  });

  it('keeps the file of -o that is the result already, and no other', async () => {
    const at = await begun('a', 'b');
    const output = join(at.folder, 'mine.png');
    await at.svc(['jobs', 'download', 'job_1', '-o', output]);
    const again = await at.svc(['jobs', 'download', 'job_1', '-o', output]);
    expect(again).toMatchObject({ code: 0, stdout: `${output}\n` });
    expect(again.stderr).toBe(`${output} already exists (48 B)\n`);
    const other = await at.svc(['jobs', 'download', 'job_2', '-o', output]);
    expect(other).toMatchObject({ code: 11, stdout: '' });
    writeFileSync(output, 'changed');
    expect(await at.svc(['jobs', 'download', 'job_1', '-o', output])).toMatchObject({ code: 11 });
    expect(readFileSync(output, 'utf8')).toBe('changed');
  });

  it('fetches all that has not been fetched', async () => {
    const at = await begun('a', 'b', 'c');
    state(at, 1, { status: 'fail' });
    await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    const all = await at.svc(['jobs', 'download', '--all', ...into(at)]);
    expect(all).toMatchObject({
      code: 0,
      stdout: `${join(at.folder, 'vendor-canvas-job_3.png')}\n`,
      stderr: '',
    });
    const none = await at.svc(['jobs', 'download', '--all', ...into(at)]);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'there is nothing to download\n' });
  });

  it('says that results are kept for 7 days when they are gone', async () => {
    const at = await begun('a');
    at.media.when('/file/', { status: 410, bytes: Buffer.from('gone') });
    expect(await at.svc(['jobs', 'download', 'job_1', ...into(at)])).toMatchObject(
      fails(3, 'error: the results of job_1 have expired: they are kept for 7 days\n'),
    );
    // Known to be gone, it is not asked for once more.
    const before = at.calls().length;
    expect(await at.svc(['jobs', 'download', '--all', ...into(at)])).toMatchObject({ code: 0 });
    expect(at.calls()).toHaveLength(before);
  });

  it('requests results that have expired by the local clock', async () => {
    const at = await begun('a');
    state(at, 0, { status: 'success', resultsExpireAt: '1970-01-01T00:00:00.000Z' });
    expect(await at.svc('jobs download job_1 -o -')).toMatchObject({ code: 0, stdoutBytes: png });
  });

  it('says how to wait for a job without results yet', async () => {
    const at = await begun('a');
    state(at, 0, { status: 'processing' });
    const result = await at.svc(['jobs', 'download', 'job_1', ...into(at)]);
    expect(result).toMatchObject({ code: 8, stdout: '' });
    expect(result.stderr).toBe(
      'error: job_1 has no results yet (running)\nhint: svc jobs wait job_1\n',
    );
  });

  it('fetches the others when one cannot be fetched', async () => {
    const at = await begun('a', 'b');
    at.media.when('/file/job_1/', refusal(404, 'not_found', 'no such result'));
    const result = await at.svc(['jobs', 'download', 'job_1', 'job_2', ...into(at)]);
    expect(result).toMatchObject({
      code: 12,
      stdout: `${join(at.folder, 'vendor-canvas-job_2.png')}\n`,
    });
    expect(result.stderr).toContain(
      'error: 1 of 2 jobs could not be downloaded:\n  no such result\n',
    );
  });
});
