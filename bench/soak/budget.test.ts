/** Many processes at once spend from one budget, also when some of them are killed. */
import { describe, expect, it } from 'vitest';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';
import { numberOf, recordOf } from '../../src/lib/json.js';
import { start, svc } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';

const processes = 20;
/** What the question below may cost: 69 tokens of input and 100 of output; it costs 0.0401. */
const mostRub = 0.0469;
const budgetRub = (mostRub * processes) / 2;

async function served() {
  const home = testFolder();
  const running = await start(['serve', '--port', '0', '--memory']);
  await running.shows('\n');
  const url = running.stdout().toString().trim();
  const env = {
    SVC_CONFIG_DIR: home,
    SVC_BASE_URL: url,
    SVC_API_KEY: 'sk-svc-local',
    SVC_BUDGET: String(budgetRub),
  };
  const ask = ['chat', '-m', 'local/guide', '--max-tokens', '100', 'hi'];
  return {
    home,
    ask: async () => {
      const running = await start(ask, { env });
      running.child.stdin.end();
      return running;
    },
    budget: async () => {
      const { stdout } = await svc(['budget', '--json'], { env });
      const { day, unknown } = recordOf(JSON.parse(stdout));
      return { ...recordOf(day), unknown };
    },
    /** What the service has charged. */
    charged: async () => {
      const { stdout } = await svc(['usage', 'chart', '--json'], { env });
      const { total } = recordOf(JSON.parse(stdout));
      return numberOf(recordOf(recordOf(total)['cost'])['priceRub']) ?? NaN;
    },
    end: async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}

describe('one budget of many processes', () => {
  it('is never exceeded', { timeout: 60_000 }, async () => {
    const { ask, budget, charged, end } = await served();
    const all = await Promise.all(Array.from({ length: processes }, ask));
    const codes = (await Promise.all(all.map(({ ended }) => ended))).map(({ code }) => code);
    const refused = codes.filter((code) => code === 5).length;
    const spentRub = await charged();
    console.log(`${processes - refused} answered, ${refused} refused, ${spentRub} RUB`);
    expect(codes.filter((code) => code !== 0 && code !== 5)).toEqual([]);
    expect(refused).toBeGreaterThan(2);
    expect(processes - refused).toBeGreaterThanOrEqual(processes / 2);
    expect(spentRub).toBeLessThanOrEqual(budgetRub);
    expect(await budget()).toMatchObject({ spentRub, reservedRub: 0, unknown: [] });
    await end();
  });

  it(
    'is kept when three are killed, whose prices are found later',
    { timeout: 60_000 },
    async () => {
      const { ask, budget, charged, end, home } = await served();
      const all = await Promise.all(Array.from({ length: processes }, ask));
      let killed = 0;
      for (const { child } of all) {
        child.stdout.once('data', () => {
          // It has been charged, and its reservation is open.
          if (killed < 3) killed += Number(child.kill('SIGKILL'));
        });
      }
      const ends = await Promise.all(all.map(({ ended }) => ended));
      expect(ends.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(3);
      const spentRub = await charged();
      expect(spentRub).toBeLessThanOrEqual(budgetRub);
      const before = await budget();
      expect(before.unknown).toHaveLength(3);
      expect(before).toMatchObject({ reservedRub: 0.1407 });
      const paths = pathsFrom({ SVC_CONFIG_DIR: home });
      new StateDatabase(paths).run('UPDATE budget SET atMs = atMs - 60000');
      expect(await budget()).toMatchObject({ spentRub, reservedRub: 0, unknown: [] });
      await end();
    },
  );
});
