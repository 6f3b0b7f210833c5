/** What several processes and kill -9 do to jobs and their money. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../../src/lib/sql.js';
import { bundle } from '../../helpers/bundle.js';
import { testFolder } from '../../helpers/folder.js';
import { linesOf } from '../../helpers/killed-process.js';
import { readLedger } from '../hostile/ledger.js';

const jobs = 60;
let script = '';

beforeAll(async () => {
  script = await bundle('test/service/media/submitter-process.ts');
}, 60_000);

/** The jobs that a process submits to its end, or until it is killed after so many. */
async function submitter(storePath: string, killAfter?: number) {
  const lines = await linesOf([script, storePath, String(jobs)], { afterLines: killAfter });
  return lines.flatMap((line) => /^k\d+ job_\w+$/.exec(line) ?? []);
}

const Count = z.object({ count: z.number() });

describe('jobs between processes', () => {
  it(
    'are one for each key, paid once and given back once, wherever processes are killed',
    { timeout: 180_000 },
    async () => {
      const storePath = join(testFolder(), 'local.sqlite');
      const reported: string[] = [];
      for (const round of [1, 4, 11, 23, 37]) {
        // Both work on the same keys, and race for each of them.
        const pair = [submitter(storePath, round), submitter(storePath, round + 2)];
        for (const lines of await Promise.all(pair)) reported.push(...lines);
      }
      const last = await Promise.all([submitter(storePath), submitter(storePath)]);
      for (const lines of last) {
        expect(lines).toHaveLength(jobs);
        reported.push(...lines);
      }
      // Every answer for a key had the same id.
      expect(new Set(reported).size).toBe(jobs);
      const sql = new Sql(storePath);
      const count = (what: string) =>
        sql.get(Count, `SELECT count(*) AS count FROM ${what}`)?.count;
      const failing = Math.ceil(jobs / 3);
      expect(count(`media_jobs WHERE origin = 'generate'`)).toBe(jobs);
      expect(count(`media_jobs WHERE origin = 'generate' AND state = 'fail'`)).toBe(failing);
      expect(count(`media_jobs WHERE origin = 'generate' AND state = 'success'`)).toBe(
        jobs - failing,
      );
      expect(count('usage WHERE refund_of IS NOT NULL')).toBe(failing);
      // An image is paid for exactly when it was made.
      const made = count(`media_jobs WHERE origin = 'image' AND state = 'success'`) ?? 0;
      expect(made).toBeGreaterThanOrEqual(2 * Math.ceil(jobs / 5));
      expect(count('usage WHERE refund_of IS NULL')).toBe(jobs + made);
      sql.close();
      const account = readLedger(storePath).accounts.find(({ id }) => id === 'local');
      expect(account?.spent).toBe((jobs - failing + made) * 2_400_000);
      expect(account?.balance).toBe((account?.opening ?? 0) - (account?.spent ?? 0));
    },
  );
});
