/** What several processes and kill -9 do to voices and their fees. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../../src/lib/sql.js';
import { bundle } from '../../helpers/bundle.js';
import { testFolder } from '../../helpers/folder.js';
import { linesOf } from '../../helpers/killed-process.js';
import { balancedRecords } from '../hostile/ledger.js';

let script = '';

beforeAll(async () => {
  script = await bundle('test/service/voices/cloner-process.ts');
});

const Fees = z.object({ route: z.string(), count: z.number(), spent: z.number() });
const Count = z.object({ count: z.number() });

function readVoices(path: string) {
  const sql = new Sql(path);
  const fees = sql.all(
    Fees,
    'SELECT route, count(*) AS count, sum(price_micro_rub) AS spent FROM usage GROUP BY route',
  );
  const voices = sql.get(Count, 'SELECT count(*) AS count FROM voices')?.count ?? 0;
  sql.close();
  return { fees, voices };
}

it(
  'each voice has one price, and five are the maximum, whichever process is killed when',
  { timeout: 120_000 },
  async () => {
    const path = join(testFolder(), 'local.sqlite');
    const rounds = 3;
    let made = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const runs = await Promise.all(
        // Killed in the middle of what comes after so many.
        ['one', 'two'].map((name) =>
          linesOf([script, path, `${name} ${round}`], { afterLines: 4 * round - 1 }),
        ),
      );
      made += runs.flat().filter((word) => word === 'made').length;
    }
    const { fees, voices } = readVoices(path);
    // Held to what the balance says.
    balancedRecords(path);
    const clones = fees.find(({ route }) => route === ':clone');
    const storage = fees.find(({ route }) => route === ':storage');
    // Each process may have made one voice that it could not report.
    expect(clones?.count).toBeGreaterThanOrEqual(made);
    expect(clones?.count).toBeLessThanOrEqual(made + 2 * rounds);
    expect(clones?.spent).toBe((clones?.count ?? 0) * 50e6);
    expect(storage?.count).toBeGreaterThan(0);
    expect(storage?.spent).toBe((storage?.count ?? 0) * 15e6);
    expect(voices).toBeLessThanOrEqual(5);
  },
);
