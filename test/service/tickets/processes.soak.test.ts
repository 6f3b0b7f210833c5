/** What several processes and kill -9 do to tickets and their files. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Sql } from '../../../src/lib/sql.js';
import { bundle } from '../../helpers/bundle.js';
import { testFolder } from '../../helpers/folder.js';
import { linesOf } from '../../helpers/killed-process.js';

const incidents = 40;
let script = '';

beforeAll(async () => {
  script = await bundle('test/service/tickets/sender-process.ts');
}, 60_000);

/** The tickets that a process opens to its end, or until it is killed soon after so many. */
async function sender(storePath: string, killAfter?: number, delayMs?: number) {
  const killing = { afterLines: killAfter, delayMs };
  const lines = await linesOf([script, storePath, String(incidents)], killing);
  return lines.flatMap((line) => /^i\d+ ticket_\w+$/.exec(line) ?? []);
}

const Count = z.object({ count: z.number() });
const File = z.object({ id: z.string(), byte_length: z.number() });
const Check = z.object({ integrity_check: z.string() });

describe('tickets between processes', () => {
  it(
    'are one for each incident, with all their files, wherever processes are killed',
    { timeout: 180_000 },
    async () => {
      const folder = testFolder();
      const storePath = join(folder, 'local.sqlite');
      const reported: string[] = [];
      for (const round of [0, 1, 3, 6, 10, 15, 21, 28]) {
        // Both report the same incidents, and race for each of them.
        const pair = [sender(storePath, round, round % 5), sender(storePath, round, 2 * round)];
        for (const lines of await Promise.all(pair)) reported.push(...lines);
      }
      for (const lines of await Promise.all([sender(storePath), sender(storePath)])) {
        expect(lines).toHaveLength(incidents);
        reported.push(...lines);
      }
      // Every answer for an incident had the same ticket.
      expect(new Set(reported).size).toBe(incidents);
      const sql = new Sql(storePath);
      const count = (what: string) =>
        sql.get(Count, `SELECT count(*) AS count FROM ${what}`)?.count;
      expect(sql.get(Check, 'PRAGMA integrity_check')?.integrity_check).toBe('ok');
      expect(count('tickets')).toBe(incidents);
      expect(count('ticket_incidents')).toBe(incidents);
      // Each ticket begins with its report, whose image is there once.
      const first = 'SELECT min(seq) FROM ticket_messages GROUP BY ticket_id';
      expect(count(`ticket_messages WHERE seq IN (${first}) AND author = 'client'`)).toBe(
        incidents,
      );
      expect(count('ticket_attachments WHERE byte_length >= 200000')).toBe(incidents);
      // Each message that was added has its own, and nothing has one that staff wrote.
      const ofClients = `ticket_messages WHERE author = 'client'`;
      expect(count('ticket_attachments')).toBe(count(ofClients));
      const odd = `tickets WHERE occurrences < 1 OR (status = 'replied') <> (reply_due_at_ms IS NULL)`;
      expect(count(odd)).toBe(0);
      const files = sql.all(File, 'SELECT id, byte_length FROM ticket_attachments');
      sql.close();
      const kept = join(folder, 'local-media', 'attachments');
      for (const { id, byte_length } of files) {
        expect(statSync(join(kept, id)).size, id).toBe(byte_length);
      }
      // What was left behind is no more than what the killed processes were writing.
      const known = new Set(files.map(({ id }) => id));
      const orphans = readdirSync(kept).filter((name) => !known.has(name));
      expect(orphans.length).toBeLessThanOrEqual(16);
    },
  );
});
