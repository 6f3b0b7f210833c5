/** A budget holds, and jobs are paid for once, however often a batch is killed. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { numberOf, recordOf } from '../../src/lib/json.js';
import { start, svc } from '../bin/svc.js';
import { testFolder } from '../helpers/folder.js';
import { inFull } from '../helpers/in-full.js';

const timeout = 180_000;

/** A service of its own, and `svc batch run IN -o OUT` against it. */
async function batch(lines: readonly object[], laterMs = 0) {
  const home = testFolder();
  const service = await start(['serve', '--port', '0', '--memory'], {
    env: { SVC_LOCAL_JOB_TIME: `${laterMs / 4}ms` },
  });
  await service.shows('\n');
  const env = {
    SVC_CONFIG_DIR: home,
    SVC_BASE_URL: service.stdout().toString().trim(),
    SVC_API_KEY: 'sk-svc-local',
  };
  const [input, output] = [join(home, 'in.jsonl'), join(home, 'out.jsonl')];
  writeFileSync(input, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const words = ['batch', 'run', input, '-o', output, '--concurrency', '64', '-q'];
  const journalBytes = () => (existsSync(`${output}.sent`) ? statSync(`${output}.sent`).size : 0);
  return {
    home,
    run: (more: readonly string[] = [], budget?: string) =>
      svc([...words, ...more], { env: { ...env, SVC_BUDGET: budget } }),
    /** Kills a run that has sent so many more bytes; it may have ended before. */
    kill: async (some: number, more: readonly string[] = [], budget?: string) => {
      const before = journalBytes();
      const running = await start([...words, ...more], { env: { ...env, SVC_BUDGET: budget } });
      const { child } = running;
      while (child.exitCode === null && journalBytes() < before + some) await after(2);
      await after(Math.random() * laterMs);
      child.kill('SIGKILL');
      return (await running.ended).signal === 'SIGKILL';
    },
    /** What the service has charged. */
    charged: async () => {
      const { stdout } = await svc(['usage', 'chart', '--json'], { env });
      return numberOf(recordOf(recordOf(JSON.parse(stdout))['total'])['priceRub']) ?? NaN;
    },
    answered: () =>
      Array.from(readFileSync(output, 'utf8').matchAll(/"custom_id":"(.*?)"/g), ([, id]) => id),
  };
}

describe('a batch that is killed', () => {
  it.each(['--budget', 'SVC_BUDGET'])(
    'never spends more than its %s',
    { timeout },
    async (which) => {
      const body = {
        model: 'local/echo',
        messages: [{ role: 'user', content: 'one two three four' }],
        max_tokens: 8,
      };
      const url = '/v1/chat/completions';
      const lines = Array.from({ length: inFull(15_000, 2500) }, (_, index) => {
        return { custom_id: `q${index}`, method: 'POST', url, body };
      });
      const { charged, kill, run } = await batch(lines);
      const budgetRub = inFull(3, 0.5);
      const more = which === '--budget' ? ['--budget', String(budgetRub)] : [];
      const budget = which === '--budget' ? undefined : String(budgetRub);
      let killed = 0;
      for (let round = 0; round < inFull(15, 3); round += 1) {
        killed += Number(await kill(300 + Math.random() * 20_000, more, budget));
        expect(await charged()).toBeLessThanOrEqual(budgetRub);
      }
      expect((await run(more, budget)).code).toBe(5);
      const spentRub = await charged();
      expect(killed).toBeGreaterThan(inFull(10, 0));
      expect(spentRub).toBeLessThanOrEqual(budgetRub);
      expect(spentRub).toBeGreaterThan(budgetRub * 0.5);
    },
  );

  it('pays for each job once', { timeout }, async () => {
    const lines = Array.from({ length: inFull(40, 8) }, (_, index) => ({
      custom_id: `picture ${index}`,
      method: 'POST',
      url: '/api/media/generate',
      body: { model: 'local/canvas', prompt: `a lighthouse, ${index}` },
    }));
    const { answered, charged, home, kill, run } = await batch(lines, inFull(2000, 400));
    let killed = 0;
    for (let round = 0; round < inFull(12, 2); round += 1) killed += Number(await kill(1));
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(killed).toBeGreaterThan(inFull(5, 0));
    expect(await charged()).toBeCloseTo(lines.length * 2.4, 6);
    expect(answered().sort()).toEqual(lines.map(({ custom_id: id }) => id).sort());
    const names = readdirSync(join(home, 'out-files')).filter((name) => name.endsWith('.png'));
    expect(names).toHaveLength(lines.length);
  });
});
