import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../src/state/account.js';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';
import { clock, nowMs, scene, turn } from './scene.js';

describe('svc logs', () => {
  it('shows what fits a narrow terminal, and how to see older turns', async () => {
    const options = { home: scene().home, clock, tty: { stdout: true }, columns: 40 };
    expect(await run('logs list --limit 1', options)).toMatchObject({
      stdout: 'ID  TIME       QUESTION\n3   1 min ago  What is the tax on tea?\n',
      stderr: 'older turns: --limit 5\n',
    });
  });

  it.each([
    ['logs tea', [3, 1]],
    ['logs tea ma', [1]],
    ['logs "ten perc"', [3]],
    ['logs tea --model vendor/two', [3]],
    ['logs --since 3m', [3, 2]],
    ['logs --since 2026-11-05', []],
    ['logs --conversation c1 --limit 1', [2]],
    ['logs list --conversation tax', [3]],
    ['logs coffee', []],
  ])('svc %s finds %j', async (line, ids) => {
    const { home } = scene();
    const { stdout, code } = await run(line, { home, clock });
    const found = stdout.split('\n').filter((one) => one !== '');
    expect([code, found.map((one) => Number(one.split('\t')[0]))]).toEqual([0, ids]);
  });

  it('adds up what a topic cost', async () => {
    const { home } = scene();
    expect((await run('logs tea --sum', { home, clock, tty: { stdout: true } })).stdout).toBe(
      'Turns           2\nInput tokens    2000\nOutput tokens   400\nPrice           1.00 RUB\nUnknown prices  0\n',
    );
    const { stdout } = await run('logs --sum --json', { home, clock });
    const sum = { turns: 3, inputTokens: 3000, outputTokens: 600, priceRub: 1, unknownPrices: 1 };
    expect(JSON.parse(stdout)).toEqual(sum);
  });

  it('looks up missing prices once, wherever they are shown, and only with the same key', async () => {
    const { env, origin, requests } = await fakeService(json({ priceRub: 0.25 }));
    const { home } = scene(origin);
    const other = { ...env, SVC_API_KEY: 'sk-svc-anotheranother' };
    await run('logs --sum', { home, clock, env: other });
    expect(requests).toHaveLength(0);
    for (const line of ['logs tea milk', 'logs milk', 'logs export 2', 'logs show 2', 'logs']) {
      const { stdout } = await run(line, { home, clock, env });
      if (line !== 'logs tea milk') expect(stdout).toContain('0.25 RUB');
    }
    const { stdout } = await run('logs --sum', { home, clock, env });
    expect(stdout).toContain('priceRub\t1.25\nunknownPrices\t0\n');
    expect(requests.map(({ url }) => url)).toEqual(['/v1/generations/gen-2']);
  });

  it('adds the price of a search to that of an answer which is looked up', async () => {
    const { env, origin } = await fakeService(json({ priceRub: 0.25 }));
    const { home, log } = scene(origin);
    const { service, keyHash } = accountOf('default', origin, fakeKey);
    const more = { account: { service, keyHash }, priceRub: null, searchRub: 0.3 };
    const { id } = log.add(turn('So?', 'Yes.', { ...more, generationId: 'gen-3' }));
    expect((await run(`logs export ${id}`, { home, clock, env })).stdout).toContain('0.55 RUB');
  });

  it('shows a price as unknown where the service does not know it, or is not reached', async () => {
    const gone = await fakeService(json({ error: { message: 'no record' } }, 404));
    const down = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_API_KEY: gone.env.SVC_API_KEY };
    for (const env of [gone.env, down]) {
      const { home } = scene(env.SVC_BASE_URL);
      const result = await run('logs --sum', { home, env });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toContain('unknownPrices\t1\n');
    }
  });

  it('is harmless on a terminal, whatever a text contains', async () => {
    const { home, log } = scene();
    log.add(turn('\u001b]0;title\u0007\u202e', 'x', { model: 'a\u001b[2J', atMs: nowMs }));
    for (const line of ['logs', 'logs conversations', 'logs show 4', 'logs show 2']) {
      const { stdout } = await run(line, { home, clock, tty: true });
      expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
    }
  });

  it.each([
    ['logs --since yesterday', '--since is not a date or time: "yesterday"'],
    ['logs --conversation c9', 'the log does not contain "c9"'],
  ])('svc %s is refused', async (line, why) => {
    const { stderr, code } = await run(line, { home: scene().home, clock });
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${why}`]);
  });
});
