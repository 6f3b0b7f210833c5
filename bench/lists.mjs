// How the embedded service's lists grow: all records, all tickets, from 1,000 to 100,000 of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { first, peakOf, reportFigure, time, timeIntoCat } from './measure.mjs';

const counts = [1000, 10_000, 100_000];
const lists = {
  usage: {
    make: ['chat', '-m', 'local/echo', 'first'],
    fields: `account_id, key_hash, model, route, prompt_tokens, completion_tokens,
      price_micro_rub, created_at_ms`,
    id: 'gen',
  },
  tickets: {
    make: ['tickets', 'create', '--subject', 'Answers stop early', '-f', import.meta.filename],
    fields: `account_id, source, subject, category, request_ids, content_hash, occurrences, status,
      created_at_ms, updated_at_ms`,
    id: 'ticket',
  },
};

/** @param svc the command. */
export async function benchLists(svc) {
  for (const [name, { make, fields, id }] of Object.entries(lists)) {
    const home = mkdtempSync(join(tmpdir(), 'svc-lists-'));
    const env = { SVC_CONFIG_DIR: home };
    await time([...svc, '--local', ...make], env);
    const store = new Database(join(home, 'data/local.sqlite'));
    const values = fields
      .replace('created_at_ms', 'created_at_ms + nth')
      // An open one would be answered first.
      .replace('status', "'closed'");
    const copy = store.prepare(`INSERT INTO ${name} (id, ${fields})
      WITH RECURSIVE number (nth) AS (SELECT ? UNION ALL SELECT nth + 1 FROM number WHERE nth < ?)
      SELECT '${id}_' || hex(randomblob(12)), ${values}
      FROM number, ${name} WHERE seq = 1`);
    const seconds = [];
    let rows = 1;
    for (const count of counts) {
      copy.run(rows + 1, count);
      rows = count;
      const list = [...first, ...svc, '--local', name, 'list', '--all', '--json'];
      seconds.push(timeIntoCat(list, env).cpuMs / 1000);
    }
    store.close();
    const { mb } = peakOf([...svc, '--local', name, 'list', '--all', '--json'], env, first);
    const growth = (seconds[2] / seconds[1]).toFixed(1);
    const curve = seconds.map((s) => s.toFixed(2)).join(' / ');
    const figure = `${curve} s, × ${growth}, ${mb.toFixed(0)} MB`;
    reportFigure(`${name} list --all, 1,000 / 10,000 / 100,000`, figure, '× ≤ 12, 100 MB');
    rmSync(home, { recursive: true });
  }
}
