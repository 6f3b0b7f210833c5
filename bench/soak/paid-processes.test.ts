/** What several processes and kill -9 do to calls that are sent again with their Idempotency-Key. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../src/lib/sql.js';
import { bundle } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { linesOf } from '../../test/helpers/killed-process.js';
import { readLedger } from '../../test/service/hostile/ledger.js';
import { paidRows } from '../../test/service/paid-rows.js';

const times = 12;
const calls = times * (paidRows.length - 1) + 4;
const tickets = 10;
/** Each round has a job that fails, too. */
const said = calls + times + tickets;
let script = '';

beforeAll(async () => {
  script = await bundle('bench/soak/paid-process.ts');
}, 60_000);

/** What a process was answered, to its end or until it was killed after so many answers. */
async function answers(storePath: string, afterLines?: number): Promise<string[]> {
  const lines = await linesOf([script, storePath, String(times)], { afterLines });
  return lines.flatMap((line) => (/ ([0-9a-f]{64}|(job|ticket)_\w{24})$/.test(line) ? [line] : []));
}

const Count = z.object({ count: z.number() });
const File = z.object({ id: z.string(), byte_length: z.number() });

it(
  'a key is one call, paid once and answered the same, wherever processes are killed',
  { timeout: 180_000 },
  async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const reported: string[] = [];
    for (const round of [1, 3, 8, 17, 29]) {
      // Both send the same calls, and race for each of them.
      const pair = [answers(storePath, round), answers(storePath, round + 1)];
      for (const lines of await Promise.all(pair)) reported.push(...lines);
    }
    for (const lines of await Promise.all([answers(storePath), answers(storePath)])) {
      expect(lines).toHaveLength(said);
      reported.push(...lines);
    }
    // Every answer for a key was the same.
    expect(new Set(reported).size).toBe(said);
    expect(reported.filter((line) => !/ (20[012] gen|job|ticket)_/.test(line))).toEqual([]);
    const sql = new Sql(storePath);
    const count = (what: string) => sql.get(Count, `SELECT count(*) AS count FROM ${what}`)?.count;
    // The price of each job that failed came back, once.
    expect(count('usage WHERE refund_of IS NOT NULL')).toBe(times);
    expect(count('usage WHERE refund_of IS NULL')).toBe(calls + times + 1);
    expect(count(`media_jobs WHERE state = 'fail'`)).toBe(times);
    expect(count('voices')).toBe(4);
    expect(count(`media_jobs WHERE origin = 'image'`)).toBe(times);
    expect(count(`media_jobs WHERE origin = 'extend'`)).toBe(times);
    // One ticket for each incident, begun by a message whose image is on disk.
    expect(count('tickets')).toBe(tickets);
    expect(count(`ticket_messages WHERE author = 'client'`)).toBe(tickets);
    const files = sql.all(File, 'SELECT id, byte_length FROM ticket_attachments');
    expect(files).toHaveLength(tickets);
    for (const { id, byte_length } of files) {
      expect(statSync(join(storePath, '../local-media/attachments', id)).size).toBe(byte_length);
    }
    sql.close();
    const account = readLedger(storePath).accounts.find(({ id }) => id === 'local');
    const perCall = paidRows.reduce((sum, { id, rub }) => {
      return sum + rub * (id === 'voices.create' ? 4 : times);
    }, 0);
    expect(account?.spent).toBe(Math.round((perCall + 1.2) * 1e6));
    expect(account?.balance).toBe((account?.opening ?? 0) - (account?.spent ?? 0));
  },
);
