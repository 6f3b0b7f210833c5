/** What a command reads of the ledger does not grow with the jobs in it, counted in rows and statements. */
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { listOf } from '../../../src/lib/json.js';
import { Sql } from '../../../src/lib/sql.js';
import { resultMaxAgeMs } from '../../../src/jobs/job.js';
import { databaseIn, ledgerTexts } from '../../helpers/state.js';
import { scene, type Scene } from '../generate/scene.js';

/** So many old jobs that have ended, each with the events of a real one, and one of now. */
async function ledgerOf(jobs: number): Promise<Scene> {
  const at = await scene();
  await at.make();
  const texts = ledgerTexts(at.home);
  const [key] = at.keys();
  const database = databaseIn(at.home);
  database.transaction(() => {
    for (let nth = 0; nth < jobs; nth += 1) {
      for (const text of texts) {
        const copy = text
          .replaceAll(String(key), `key-${nth}-copy`)
          .replaceAll(/job_1\b/g, `job_copy-${nth}-x`);
        database.run("INSERT INTO ledger (book, event) VALUES ('jobs', ?)", copy);
      }
    }
  });
  at.clock.pass(2 * resultMaxAgeMs);
  await at.svc(['generate', 'vendor/canvas', 'the newest', '--no-wait', '-q']);
  await at.svc('jobs list');
  return at;
}

/** Runs a command. @returns the rows and statements of state.db that it takes, and how they are found */
async function workOf(at: Scene, line: string) {
  const [reads, writes] = [vi.spyOn(Sql.prototype, 'all'), vi.spyOn(Sql.prototype, 'run')];
  const { stderr } = await at.svc(line.replace('FOLDER', at.folder));
  const rows = reads.mock.results.flatMap(({ value }) => listOf(value));
  const finds = reads.mock.calls.filter(([, sql]) => sql.includes('ledger'));
  const work = rows.length + reads.mock.calls.length + writes.mock.calls.length;
  vi.restoreAllMocks();
  expect(finds.length, stderr).toBeGreaterThan(0);
  const plans = finds.flatMap(([, sql, ...values]) =>
    databaseIn(at.home)
      .all(z.object({ detail: z.string() }), `EXPLAIN QUERY PLAN ${sql}`, ...values)
      .map(({ detail }) => detail),
  );
  return { work, plans };
}

/** What finds a few rows by looking through a table, or a whole book of it. */
const scans = /SCAN ledger(?:_jobs|_files)?$|SEARCH ledger_jobs .*\(book=\?\)$/;

/** What each of these commands does with ten times as many jobs, as a multiple. */
async function growthOf(lines: readonly string[]) {
  const [few, many] = [await ledgerOf(60), await ledgerOf(600)];
  const growth: Record<string, number> = {};
  const looked: string[] = [];
  for (const line of lines) {
    const [small, large] = [await workOf(few, line), await workOf(many, line)];
    growth[line] = large.work / small.work;
    looked.push(
      ...large.plans.filter((plan) => scans.test(plan)).map((plan) => `${line}: ${plan}`),
    );
  }
  return { growth, looked };
}

describe('a ledger of ten times as many jobs', { timeout: 120_000 }, () => {
  it('costs the same where a few are wanted', async () => {
    const { growth, looked } = await growthOf([
      'jobs show @last',
      'jobs show job_copy-7-x',
      'jobs show job_copy-7-',
      'jobs show key-7-copy',
      'jobs resume key-7-copy',
      'generate vendor/canvas "one more" -o - -q',
      'jobs list',
      'jobs wait --all',
      'jobs download --all -o FOLDER',
      'open job_copy-7-x',
      'doctor',
      '__complete -- jobs show job_',
    ]);
    expect(Object.entries(growth).filter(([, times]) => times > 1.2)).toEqual([]);
    expect(looked).toEqual([]);
  });

  it('costs less than twelve times as much where all are wanted', async () => {
    const lines = ['jobs list --all', 'jobs list --all --json', 'jobs gallery -o -'];
    const { growth } = await growthOf(lines);
    expect(Object.entries(growth).filter(([, times]) => times >= 12)).toEqual([]);
  });
});
