/** What several processes and kill -9 do to voices and their fees. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../../src/service/store/sql.js';
import { bundle, bundleEnv } from '../../helpers/bundle.js';
import { testFolder } from '../../helpers/folder.js';
import { inFull } from '../../helpers/in-full.js';

let script = '';

beforeAll(async () => {
  script = await bundle('test/service/voices/cloner-process.ts');
});

/** Runs a process until it has made so many voices, and kills it in the middle of what is next. */
async function runAndKill(path: string, name: string, enough: number) {
  const child = spawn(process.execPath, [script, path, name], { env: bundleEnv });
  const complaints: string[] = [];
  child.stderr.on('data', (piece: Buffer) => complaints.push(piece.toString()));
  let text = '';
  child.stdout.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const ended = once(child, 'close');
  const words = () => text.split('\n').slice(0, -1);
  while (words().filter((word) => word !== 'open').length < enough) {
    await Promise.race([once(child.stdout, 'data'), ended]);
    if (child.exitCode !== null) throw new Error(complaints.join(''));
  }
  child.kill('SIGKILL');
  await ended;
  return { made: words().filter((word) => word === 'made').length, complaints };
}

const Money = z.object({ balance: z.number(), opening: z.number(), spent: z.number() });
const Fees = z.object({ route: z.string(), count: z.number(), spent: z.number() });
const Count = z.object({ count: z.number() });
const Check = z.object({ integrity_check: z.string() });

function readStore(path: string) {
  const sql = new Sql(path);
  const money = sql.get(
    Money,
    `SELECT balance_micro_rub AS balance, opening_micro_rub AS opening,
       (SELECT sum(price_micro_rub) FROM usage) AS spent
     FROM accounts WHERE id = 'local'`,
  );
  const fees = sql.all(
    Fees,
    'SELECT route, count(*) AS count, sum(price_micro_rub) AS spent FROM usage GROUP BY route',
  );
  const voices = sql.get(Count, 'SELECT count(*) AS count FROM voices')?.count ?? 0;
  const integrity = sql.get(Check, 'PRAGMA integrity_check')?.integrity_check;
  sql.close();
  return { money, fees, voices, integrity };
}

it(
  'a voice and its price are one, and five are the most, whoever is killed when',
  { timeout: 120_000 },
  async () => {
    const path = join(testFolder(), 'local.sqlite');
    const rounds = inFull(3, 1);
    let made = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const runs = await Promise.all(
        ['one', 'two'].map((name) => runAndKill(path, `${name} ${round}`, 4 * round)),
      );
      for (const run of runs) {
        expect(run.complaints).toEqual([]);
        made += run.made;
      }
    }
    const { money, fees, voices, integrity } = readStore(path);
    expect(integrity).toBe('ok');
    const clones = fees.find(({ route }) => route === ':clone');
    const storage = fees.find(({ route }) => route === ':storage');
    // Each process may have made one voice that it could not tell us of.
    expect(clones?.count).toBeGreaterThanOrEqual(made);
    expect(clones?.count).toBeLessThanOrEqual(made + 2 * rounds);
    expect(clones?.spent).toBe((clones?.count ?? 0) * 50e6);
    expect(storage?.count).toBeGreaterThan(0);
    expect(storage?.spent).toBe((storage?.count ?? 0) * 15e6);
    expect(voices).toBeLessThanOrEqual(5);
    expect(money?.balance).toBe((money?.opening ?? 0) - (money?.spent ?? 0));
  },
);
