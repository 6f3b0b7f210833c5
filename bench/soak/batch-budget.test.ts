/** A budget holds, and jobs are paid for once, however often a batch is killed. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { numberOf, recordOf } from '../../src/lib/json.js';
import { start, svc } from '../../test/bin/svc.js';
import { chatLine } from '../../test/commands/batch/folder.js';
import { batchProcesses } from './batch-processes.js';

const timeout = 180_000;

/** A service of its own, and `svc batch run IN -o OUT` against it. */
async function batch(lines: readonly string[], { laterMs = 0, more = {} } = {}) {
  const service = await start(['serve', '--port', '0', '--memory'], {
    env: { SVC_LOCAL_JOB_TIME: `${laterMs / 4}ms` },
  });
  await service.shows('\n');
  const url = service.stdout().toString().trim();
  const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local', ...more };
  const processes = batchProcesses(lines, env, { atOnce: 64 });
  const journal = `${processes.output}.svc/journal`;
  const journalBytes = () => (existsSync(journal) ? statSync(journal).size : 0);
  return {
    ...processes,
    /** Kills a run that has sent so many more bytes; 0 where it had ended before. */
    kill: async (some: number, words: readonly string[] = []) => {
      const before = journalBytes();
      const { child, ended } = await processes.start(words);
      while (child.exitCode === null && journalBytes() < before + some) await after(2);
      await after(Math.random() * laterMs);
      child.kill('SIGKILL');
      return Number((await ended).signal === 'SIGKILL');
    },
    /** What the service has charged. */
    charged: async () => {
      const { stdout } = await svc(['usage', 'chart', '--json'], { env });
      const { total } = recordOf(JSON.parse(stdout));
      return numberOf(recordOf(recordOf(total)['cost'])['priceRub']) ?? NaN;
    },
  };
}

describe('a batch that is killed', () => {
  it.each(['--max-cost', 'SVC_BUDGET'])(
    'never spends more than its %s',
    { timeout },
    async (which) => {
      const echo = { model: 'local/echo', max_tokens: 8 };
      const lines = Array.from({ length: 15_000 }, (_, index) =>
        chatLine(`q${index}`, 'one two three four', echo),
      );
      const budgetRub = 3;
      const words = which === '--max-cost' ? ['--max-cost', `${budgetRub}`] : [];
      const more = which === '--max-cost' ? {} : { SVC_BUDGET: `${budgetRub}` };
      const { charged, kill, run } = await batch(lines, { more });
      let killed = 0;
      for (let round = 0; round < 15; round += 1) {
        killed += await kill(300 + Math.random() * 20_000, words);
        expect(await charged()).toBeLessThanOrEqual(budgetRub);
      }
      expect((await run(words)).code).toBe(5);
      const spentRub = await charged();
      expect(killed).toBeGreaterThan(10);
      expect(spentRub).toBeLessThanOrEqual(budgetRub);
      expect(spentRub).toBeGreaterThan(budgetRub * 0.5);
    },
  );

  it('pays for each job once', { timeout }, async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `picture ${index}`).sort();
    const lines = ids.map((id) => {
      const body = { model: 'local/canvas', prompt: `a lighthouse, ${id}` };
      return `${JSON.stringify({ custom_id: id, url: '/api/media/generate', body })}\n`;
    });
    const { charged, done, folder, kill, run } = await batch(lines, { laterMs: 2000 });
    let killed = 0;
    for (let round = 0; round < 12; round += 1) killed += await kill(1);
    expect(await run(['-q'])).toMatchObject({ code: 0, stderr: '' });
    expect(killed).toBeGreaterThan(5);
    expect(await charged()).toBeCloseTo(lines.length * 2.4, 6);
    expect(done()).toEqual(ids);
    const names = readdirSync(join(folder, 'out-files')).filter((name) => name.endsWith('.png'));
    expect(names).toHaveLength(lines.length);
  });
});
