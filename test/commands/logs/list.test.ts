import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../src/state/account.js';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';
import { clock, nowMs, scene, turn } from './scene.js';

describe('svc logs', () => {
  it('lists turns with the newest first, for a terminal of any width, and for a pipe', async () => {
    const { home } = scene();
    const tty = { stdout: true };
    const wide = await run('logs', { home, clock, tty, columns: 90 });
    expect(wide).toMatchObject({ code: 0, stderr: '' });
    expect(wide.stdout.split('\n')).toEqual([
      'ID  TIME       CONVERSATION  MODEL       TOKENS     PRICE  QUESTION',
      '3   1 min ago  tax           vendor/two   1,200  0.50 RUB  What is the tax on tea?',
      '2   2 min ago  c1            vendor/one   1,200         -  And milk?',
      '1   5 min ago  c1            vendor/one   1,200  0.50 RUB  How is tea made?',
      '',
    ]);
    const narrow = await run('logs list --limit 1', { home, clock, tty, columns: 40 });
    expect(narrow.stdout).toBe('ID  TIME       QUESTION\n3   1 min ago  What is the tax on tea?\n');
    expect(narrow.stderr).toBe('older turns: --limit 5\n');
    const piped = await run('logs milk', { home, clock });
    expect(piped).toMatchObject({
      stdout: '2\t2026-11-04T11:58:00.000Z\tc1\tvendor/one\t1200\t-\tAnd milk?\n',
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

  it('gives --json all that is known', async () => {
    const { home } = scene();
    const { stdout } = await run('logs --json milk', { home, clock });
    const tokens = { inputTokens: 1000, outputTokens: 200 };
    const place = { id: 2, conversation: 'c1', name: null, at: '2026-11-04T11:58:00.000Z' };
    const asked = { model: 'vendor/one', format: 'chat', service: 'https://x.test' };
    const said = { question: 'And\nmilk?', answer: 'After\u001b[31m it.', complete: true };
    const facts = { finishReason: 'stop', priceRub: null, ms: 1234, generationId: 'gen-2' };
    expect(JSON.parse(stdout)).toEqual([{ ...place, ...asked, ...said, ...facts, ...tokens }]);
  });

  it('adds up what a topic cost', async () => {
    const { home } = scene();
    const shown = await run('logs tea --sum', { home, clock, tty: { stdout: true } });
    expect(shown.stdout).toBe(
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

describe('svc logs conversations', () => {
  it('lists conversations in three forms, the latest first', async () => {
    const { home } = scene();
    const shown = await run('logs conversations', { home, clock, tty: true, columns: 60 });
    expect(shown.stdout).toBe(
      [
        'ID  NAME  TURNS  LAST       FIRST QUESTION',
        'c2  tax       1  1 min ago  What is the tax on tea?',
        'c1            2  2 min ago  How is tea made?',
        '',
      ].join('\n'),
    );
    const piped = await run('logs conversations --limit 1', { home, clock });
    expect(piped.stdout).toBe('c2\ttax\t1\t2026-11-04T11:59:00.000Z\tWhat is the tax on tea?\n');
    const { stdout } = await run('logs conversations --json', { home, clock });
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'c2', name: 'tax', turns: 1, changedAt: '2026-11-04T11:59:00.000Z' },
      { id: 'c1', name: null, turns: 2, question: 'How is tea made?' },
    ]);
  });
});
