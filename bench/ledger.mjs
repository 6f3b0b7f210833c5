// What a ledger of 1,000 to 100,000 old jobs costs the commands that read it, and its first reading.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { first, peakOf, reportFigure, timeIntoCat } from './measure.mjs';

const counts = [1000, 10_000, 100_000];
const lines = {
  'jobs show @last': '× ≤ 1.3, 80 MB',
  'jobs list': '× ≤ 1.3, 80 MB',
  'generate local/canvas waves --no-wait': '× ≤ 1.3, 80 MB',
  'jobs list --all --json': '120 MB',
};

/** @param svc the command. */
export function benchLedger(svc) {
  const home = mkdtempSync(join(tmpdir(), 'svc-ledger-'));
  const env = { SVC_CONFIG_DIR: home };
  const run = (line) => timeIntoCat([...first, ...svc, '--local', ...line.split(' ')], env).cpuMs;
  const make = 'generate local/canvas waves -q -o';
  run(`${make} ${join(home, 'waves.png')}`);
  const state = new Database(join(home, 'data/state.db'));
  const { id } = state.prepare(`SELECT event ->> 'jobId' AS id FROM ledger WHERE seq = 2`).get();
  const { key, last } = state
    .prepare(`SELECT event ->> 'intent' AS key, max(seq) AS last FROM ledger`)
    .get();
  const copy = state.prepare(`INSERT INTO ledger (book, event)
    WITH RECURSIVE number (nth) AS (SELECT ? UNION ALL SELECT nth + 1 FROM number WHERE nth < ?)
    SELECT book, replace(replace(json_set(event, '$.atMs', (event ->> 'atMs') - 30 * 86400000),
      '${key}', 'copy-' || nth), '${id}', 'job_copy-' || nth)
    FROM number CROSS JOIN ledger WHERE seq <= ${last}`);
  const times = Object.fromEntries(
    ['its first reading', ...Object.keys(lines)].map((l) => [l, []]),
  );
  let jobs = 1;
  for (const count of counts) {
    copy.run(jobs + 1, count);
    jobs = count;
    times['its first reading'].push(run(`${make} ${join(home, `${count}.png`)}`));
    for (const line of Object.keys(lines)) {
      times[line].push(Math.min(...[1, 2, 3].map(() => run(line))));
    }
  }
  state.close();
  for (const [line, all] of Object.entries(times)) {
    const curve = all.map((ms) => (ms / 1000).toFixed(2)).join(' / ');
    const growth = (all[2] / all[0]).toFixed(2);
    const isRead = line in lines;
    const peak = isRead && peakOf([...svc, '--local', ...line.split(' ')], env, first).mb;
    const figure = `${curve} s, × ${growth}${isRead ? `, ${peak.toFixed(0)} MB` : ''}`;
    reportFigure(`ledger of 1,000 to 100,000: ${line}`, figure, lines[line] ?? '');
  }
  rmSync(home, { recursive: true });
}
