/** svc run as a process, before svc serve in another one, whose ledger says what was charged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { historyPage } from '../../src/contract/limits.js';
import { StateDatabase } from '../../src/state/database.js';
import { pathsFrom } from '../../src/state/paths.js';
import { numberOf, recordOf } from '../../src/lib/json.js';
import { start, svc, type Running } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';

const History = z.object({
  data: z.array(z.object({ promptTokens: z.number(), priceRub: z.number() })),
  total: z.number(),
});
const Sums = z.object({ requests: z.number(), spentRub: z.number(), reservedRub: z.number() });

/** An account of the service that svc run pays from. */
export class RunScene {
  readonly home = testFolder();
  readonly env: Readonly<Record<string, string>>;

  private constructor(url: string, budgetRub: number | undefined) {
    this.env = {
      SVC_CONFIG_DIR: this.home,
      SVC_BASE_URL: url,
      SVC_API_KEY: 'sk-svc-local',
      ...(budgetRub === undefined ? {} : { SVC_BUDGET: String(budgetRub) }),
    };
  }

  /** @param options of svc serve */
  static async begin(budgetRub?: number, options: readonly string[] = []): Promise<RunScene> {
    const serving = await start(['serve', '--port', '0', '--memory', '-q', ...options]);
    await serving.shows('\n');
    return new RunScene(serving.stdout().toString().trim(), budgetRub);
  }

  /** Starts a program of node, whose report comes into `report` of the home. */
  async start(options: readonly string[], ...program: readonly string[]): Promise<Running> {
    const words = ['run', ...options, '--', process.execPath, ...program];
    const running = await start(words, { env: this.env });
    running.child.stdin.end();
    return running;
  }

  async svc(...words: readonly string[]): Promise<unknown> {
    const { stdout } = await svc([...words, '--json'], { env: this.env });
    return JSON.parse(stdout);
  }

  report(name: string): { readonly priceRub: number; readonly unpriced: number } {
    const report = recordOf(JSON.parse(readFileSync(join(this.home, name), 'utf8')));
    const priceRub = numberOf(recordOf(report['cost'])['priceRub']) ?? NaN;
    return { priceRub, unpriced: numberOf(report['unpriced']) ?? NaN };
  }

  /** What the service has charged, and how often. */
  async charged(): Promise<{ readonly calls: number; readonly priceRub: number }> {
    const { total } = recordOf(await this.svc('usage', 'chart'));
    const { calls, cost } = recordOf(total);
    return { calls: numberOf(calls) ?? 0, priceRub: numberOf(recordOf(cost)['priceRub']) ?? NaN };
  }

  /** All usage records, as the service has them. */
  async records(): Promise<z.output<typeof History>['data']> {
    const headers = { authorization: `Bearer ${this.env['SVC_API_KEY']}` };
    const all: z.output<typeof History>['data'] = [];
    for (let page = 1; ; page += 1) {
      const url = `${this.env['SVC_BASE_URL']}/v1/generations?limit=${historyPage.max}&page=${page}`;
      const { data, total } = History.parse(await (await fetch(url, { headers })).json());
      all.push(...data);
      if (all.length >= total) return all;
    }
  }

  /** What stands in the budget, with nothing looked for. */
  booked() {
    const sql = `SELECT count(*) AS requests, total(priceRub) AS spentRub,
      total(CASE WHEN priceRub IS NULL THEN mostRub END) AS reservedRub FROM budget`;
    const [sums] = new StateDatabase(pathsFrom(this.env)).all(Sums, sql);
    return sums ?? { requests: 0, spentRub: 0, reservedRub: 0 };
  }

  /** The day of `svc budget`, in which the history has been asked for what is open. */
  async budget() {
    // As if a minute had passed, after which a record that is not there will not come.
    new StateDatabase(pathsFrom(this.env)).run('UPDATE budget SET atMs = atMs - 60000');
    const { day, unknown } = recordOf(await this.svc('budget'));
    const { reservedRub, spentRub } = recordOf(day);
    return {
      spentRub: numberOf(spentRub) ?? NaN,
      reservedRub: numberOf(reservedRub) ?? NaN,
      unknown: Array.isArray(unknown) ? unknown.length : NaN,
    };
  }

  /** The price of all turns of the log. */
  async logged(): Promise<{ readonly priceRub: number }> {
    const { cost } = recordOf(await this.svc('logs', 'list', '--sum'));
    return { priceRub: numberOf(recordOf(cost)['priceRub']) ?? NaN };
  }
}
