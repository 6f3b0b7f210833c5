import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Sql } from '../../../src/lib/sql.js';
import { accountOf } from '../../../src/state/account.js';
import { Log } from '../../../src/state/log.js';
import { pathsFrom } from '../../../src/state/paths.js';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { countsSteps } from '../../helpers/sqlite-steps.js';
import { clock, nowMs, scene, turn } from './scene.js';

describe('svc logs', () => {
  it('marks the turns of a program, and finds them by its name', async () => {
    const { home, log } = scene();
    log.add(turn('How is tea sold?', 'By weight.', { program: 'codex', atMs: nowMs }));
    const line =
      '4\t2026-11-04T12:00:00.000Z\tc3\tvendor/one\t1200\t0.5\t[codex] How is tea sold?\n';
    const { stdout } = await run('logs tea --program codex', { home, clock });
    expect(stdout).toBe(line);
    const all: unknown = JSON.parse((await run('logs --json', { home, clock })).stdout);
    expect(all).toMatchObject([{ id: 4, program: 'codex' }, { id: 3 }, { id: 2 }, { id: 1 }]);
    expect(JSON.stringify(all).match(/"program"/g)).toHaveLength(1);
    expect((await run('logs --sum --program codex', { home })).stdout).toContain('turns\t1\n');
    expect((await run('logs show 4', { home, clock })).stdout).toContain('*c3, turn 4 · codex · ');
    expect((await run('logs show 3', { home, clock })).stdout).toContain('*tax, turn 3 · 2026');
  });

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
    const usage = { inputTokens: 3000, outputTokens: 600 };
    const sum = { turns: 3, usage, cost: { priceRub: 1 }, unknownPrices: 1 };
    expect(JSON.parse(stdout)).toEqual(sum);
  });

  it('looks up missing prices once, wherever they are shown, and only with the same key', async () => {
    const { env, origin, requests } = await fakeService(json({ priceRub: 0.25 }));
    const { home } = scene(origin);
    await run('logs --sum', { home, clock, env: { ...env, SVC_API_KEY: 'sk-svc-anotheranother' } });
    expect(requests).toHaveLength(0);
    for (const line of ['logs tea milk', 'logs milk', 'logs export 2', 'logs show 2', 'logs']) {
      const { stdout } = await run(line, { home, clock, env });
      if (line !== 'logs tea milk') expect(stdout).toMatch(/0\.25(\t| RUB)/);
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
    ['logs --since tomorrow', '--since is not a date or time: "tomorrow"'],
    ['logs --conversation c9', 'the log does not contain "c9"'],
  ])('svc %s is refused', async (line, why) => {
    const { stderr, code } = await run(line, { home: scene().home, clock });
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${why}`]);
  });
});

const texts = ['Ёлка и мой счёт', 'Елка без счета', 'мои дела', 'е\u0308ж', 'и\u0306од'];
const found = async (...words: string[]) => {
  const home = testFolder();
  const log = new Log(pathsFrom({ SVC_CONFIG_DIR: home }));
  for (const text of texts) log.add(turn(text, 'Да.'));
  const { stdout } = await run(['logs', ...words, '--json'], { home });
  return [...stdout.matchAll(/"id": (\d)/g)].map(([, id]) => Number(id));
};

it.each([
  ['елка', [2, 1]],
  ['ЁЛКА', [2, 1]],
  ['е\u0308лка', [2, 1]],
  ['ел', [2, 1]],
  ['счёт', [2, 1]],
  ['счет елка', [1]],
  ['еж', [4]],
  ['ёж', [4]],
  ['мой', [1]],
  ['мои', [3]],
  ['йод', [5]],
  ['иод', []],
  ['е'.repeat(30), []],
])('svc logs finds %s with е and ё as one letter, and й as another than и', async (words, ids) => {
  expect(await found(...words.split(' '))).toEqual(ids);
});

/** The steps of SQLite's machine that `svc logs` takes with so many turns. */
async function stepsOf(words: string, count: number): Promise<number> {
  const reads = vi.spyOn(Sql.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  const { home, log } = scene();
  for (let nth = 3; nth < count; nth += 1) {
    log.add(turn(`Is lighthouse ${nth} lit?`, 'It is.', { conversation: 1 }));
  }
  const database: unknown = reads.mock.contexts.at(-1);
  if (!(database instanceof Sql)) throw new Error('the log was not opened');
  const steps = () => database.number('SELECT sum(nstep) FROM sqlite_stmt') ?? 0;
  const before = steps();
  const { stdout } = await run(`logs ${words} --limit 5`, { home, clock });
  expect(stdout.trimEnd().split('\n')).toHaveLength(5);
  return steps() - before;
}

it.runIf(countsSteps).each(['lighthouse', 'is lighthouse', 'lig', ''])(
  'a page of svc logs %s costs as much with ten times the turns',
  async (words) => {
    expect(await stepsOf(words, 400)).toBeLessThan(1.2 * (await stepsOf(words, 40)));
  },
);
