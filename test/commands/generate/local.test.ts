/** svc generate and svc jobs against the embedded service: offline, with a ledger of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run, words } from '../../helpers/run.js';

function local() {
  const [home, folder, clock] = [testFolder(), testFolder(), new PollingClock()];
  const svc = (line: readonly string[], stdin?: Uint8Array) =>
    run(['--local', ...line], { home, clock, stdin });
  const balance = async () => {
    const { stdout } = await svc(['balance', '--json']);
    const reply: unknown = JSON.parse(stdout);
    return typeof reply === 'object' && reply && 'balance_rub' in reply ? reply.balance_rub : 0;
  };
  return { home, folder, clock, svc, balance, path: (name: string) => join(folder, name) };
}

describe('svc --local generate', () => {
  it('makes a picture that opens, at the price it says', async () => {
    const at = local();
    const output = at.path('lighthouse.png');
    const result = await at.svc(['generate', 'local/canvas', 'a lighthouse', '-o', output]);
    expect(result).toMatchObject({ code: 0, stdout: `${output}\n` });
    expect(result.stderr).toMatch(/^price: 2.40 RUB\n/);
    const { width, height } = PNG.sync.read(readFileSync(output));
    expect([width, height]).toEqual([1024, 1024]);
    expect(await at.balance()).toBeCloseTo(997.6, 6);
  });

  it('takes the model of -m, and says where one is missing', async () => {
    const at = local();
    const { stdout } = await at.svc(words('generate -m local/canvas a boat --dry-run'));
    const body = { model: 'local/canvas', prompt: 'a boat' };
    expect(JSON.parse(stdout)).toMatchObject({ body });
    for (const line of ['generate waves', 'generate waves --quote']) {
      const hint = 'hint: name a model or its kind first: svc --local generate image waves\n';
      expect(await at.svc(words(line))).toMatchObject({ stderr: expect.stringContaining(hint) });
    }
    const nowhere = await at.svc(words('generate nobody/anything x'));
    expect(nowhere.stderr).toContain('hint: to list them: svc --local models list --all\n');
    expect((await at.svc(words('generate -m waves x'))).stderr).not.toContain('name a model');
  });

  it('shows a rate of a quote as an amount', async () => {
    const { stdout } = await run('--local generate local/reel waves --quote', { tty: true });
    expect(stdout).toMatch(/^Price +12\.00 RUB\nPer second +2\.40 RUB\n/);
  });

  it('names what is said of a result in words', async () => {
    const line = ['--local', 'generate', 'local/reel', 'waves', '-o', `${testFolder()}/`];
    const { stderr, stdout } = await run(line, { tty: true, clock: new PollingClock() });
    expect(stdout + stderr).toContain('1280 × 720 · seconds 5 · frames per second 24 · seed 0');
  });

  it('says once what may have been meant', async () => {
    const { code, stderr } = await local().svc(['generate', 'local/canvass', 'x']);
    expect(code).toBe(3);
    expect(stderr.match(/there is no|is called/g)).toHaveLength(1);
    expect(stderr.match(/did you mean local\/canvas\?/g)).toHaveLength(1);
  });

  it('takes as long as SVC_LOCAL_JOB_TIME says', async () => {
    const at = local();
    const after = async (time: string) => {
      const line = ['--local', 'generate', 'local/voice', time, '-o', at.path(`${time}.wav`)];
      const startedAtMs = at.clock.now();
      const env = { SVC_LOCAL_JOB_TIME: time };
      const { code } = await run(line, { home: at.home, clock: at.clock, env });
      return { code, tookMs: at.clock.now() - startedAtMs };
    };
    const quick = await after('500ms');
    expect(quick).toEqual({ code: 0, tookMs: expect.any(Number) });
    expect(quick.tookMs).toBeLessThan(2000);
    expect(await after('0')).toMatchObject({ code: 0, tookMs: 0 });
    const slow = await after('10m');
    expect(slow.code).toBe(0);
    expect(slow.tookMs).toBeGreaterThanOrEqual(600_000);
    const wrong = await run(['--local', 'balance'], { env: { SVC_LOCAL_JOB_TIME: 'soon' } });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('SVC_LOCAL_JOB_TIME is not a duration: soon');
  });

  it.each([
    ['uploaded', []],
    ['inline', ['--inline']],
  ])('works from a source that is %s', async (_, flags) => {
    const at = local();
    const picture = PNG.sync.write(new PNG({ width: 40, height: 30 }));
    writeFileSync(at.path('small.png'), picture);
    const output = at.path('large.png');
    const result = await at.svc([
      ...['generate', 'local/upscale', '--input', at.path('small.png'), '-o', output, ...flags],
    ]);
    expect(result.stderr).toMatch(/^price: /);
    expect(result).toMatchObject({ code: 0, stdout: `${output}\n` });
    expect(PNG.sync.read(readFileSync(output)).width).toBeGreaterThan(40);
  });

  it('reports on the same job later, and gives its files', async () => {
    const at = local();
    const draft = ['generate', 'local/canvas', 'x', '--opt', 'quality=draft', '--no-wait'];
    const { stdout } = await at.svc(draft);
    const id = stdout.trim();
    expect(id).toMatch(/^job_/);
    expect((await at.svc(['jobs', 'wait', '--all'])).stdout).toMatch(`${id}\tdone\t0.6\n`);
    const fetched = await at.svc(['jobs', 'download', '--all', '-o', `${at.folder}/`]);
    expect(fetched.stdout).toBe(`${at.path(`local-canvas-${id}.png`)}\n`);
    const list = await at.svc(['jobs', 'list']);
    expect(list.stdout).toMatch(`${id}\tlocal/canvas\tdone\t0.6\t`);
    expect(list.stdout).toContain('\t1/1\t');
  });

  it('reports a failed job as failed, and refunds it', async () => {
    const at = local();
    const result = await at.svc(['generate', 'local/canvas:failing', 'x', '-o', at.path('x.png')]);
    expect(result).toMatchObject({ code: 9, stdout: '' });
    expect(await at.balance()).toBe(1000);
  });

  it('keeps its jobs apart from those of a service', async () => {
    const at = local();
    await at.svc(['generate', 'local/canvas', 'x', '--no-wait']);
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk-svc-else' };
    const list = await run('jobs list', { home: at.home, clock: at.clock, env });
    expect(list).toMatchObject({ code: 0, stdout: '' });
    const all = await run('jobs list --all', { home: at.home, clock: at.clock, env });
    expect(all.stdout).toMatch(/\tlocal\tx\n$/);
  });
});
