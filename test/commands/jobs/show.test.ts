import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scene } from '../generate/scene.js';
import { begun, state } from './begun.js';

describe('svc jobs show', () => {
  it('shows a person and a program what is known of a job', async () => {
    const at = await begun('a');
    state(at, 0, { status: 'success', provider: 'canvas', resultMeta: { width: 8 } });
    const { code, stdout } = await at.svc('jobs show job_1');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Job\tjob_1',
        'Model\tvendor/canvas',
        'Provider\tcanvas',
        'State\tsuccess',
        'Price\t12.50 RUB',
        'Made\t1970-01-01T00:16:40.000Z',
        'Results\t1',
        'Expire\t2999-01-01T00:00:00.000Z',
        'Meta\twidth: 8',
        '',
      ].join('\n'),
    );
    const json = await at.svc('jobs show job_1 --json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      job: 'job_1',
      status: 'success',
      key: at.keys()[0],
      files: [],
      cost: { priceRub: 12.5 },
      reply: { status: 'success' },
    });
  });

  it('tells a program of every file that a person is shown', async () => {
    const at = await begun('a');
    const paths = ['one.png', 'two.png'].map((name) => join(at.folder, name));
    for (const path of paths) await at.svc(['jobs', 'download', 'job_1', '-o', path]);
    const { stdout } = await at.svc('jobs show job_1');
    expect(stdout).toContain(paths.map((path) => `File\t${path}\n`).join(''));
    const json = await at.svc('jobs show job_1 --json');
    expect(JSON.parse(json.stdout)).toMatchObject({ files: paths.map((path) => ({ path })) });
  });

  it.each(['show', 'wait', 'download'])(
    'like %s refuses a job of another account',
    async (verb) => {
      const at = await begun('a');
      const before = at.requests.length;
      const env = { SVC_API_KEY: 'sk-svc-another' };
      const result = await at.svc(`jobs ${verb} job_1`, { env });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toBe(
        `error: job_1 is a job of another account, at ${at.origin}\n` +
          'hint: ask for it with the key that made it, perhaps: --profile default\n',
      );
      expect(at.requests).toHaveLength(before);
    },
  );

  it.each(['show', 'wait', 'download'])('like %s says that there is no such job', async (verb) => {
    const at = await scene();
    const result = await at.svc(`jobs ${verb} job_9`);
    expect(result.code).toBe(3);
    expect(result.stderr).toBe(
      'error: this account has no job job_9\n' +
        'hint: see which jobs there are: `svc jobs list --all`\n',
    );
  });
});
