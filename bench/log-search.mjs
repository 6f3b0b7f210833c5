// How long `svc logs WORDS` takes over logs of 1,000 to 100,000 turns, beyond the start of svc.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { interleave, median, reportFigure, time } from './measure.mjs';

const curve = [1000, 10_000, 100_000];

/** Words as frequent as those of a language: the n-th is n times as rare as the first. */
const wordOf = (rank) => Math.imul(rank, 2654435761).toString(36).replace('-', 'q');
const wordAt = (nth) => wordOf(Math.floor(Math.exp(((nth * 7919) % 9973) / 1000)));
const textAt = (nth, length) =>
  Array.from({ length }, (_, place) => wordAt(nth * 31 + place)).join(' ');

/** @param svc the command */
export async function benchLogSearch(svc, rounds) {
  for (const turns of curve) await search(svc, turns, rounds);
}

async function search(svc, turns, rounds) {
  const home = mkdtempSync(join(tmpdir(), 'svc-log-'));
  const env = { SVC_CONFIG_DIR: home };
  await time([...svc, '--local', 'chat', '-m', 'local/echo', 'first'], env);
  const database = new Database(join(home, 'data/state.db'));
  database.exec('BEGIN');
  const copy = database.prepare(`INSERT INTO turns SELECT ?, conversation, parent, atMs, service,
    keyHash, model, format, request, ?, asked, answered, generationId, priceRub, inputTokens,
    outputTokens, ms, finishReason, isComplete, searchRub FROM turns WHERE id = 1`);
  const index = database.prepare(
    'INSERT INTO turn_texts (rowid, question, answer) VALUES (?, ?, ?)',
  );
  for (let nth = 2; nth <= turns; nth += 1) {
    const question = `${textAt(nth, 20)}${nth === turns / 2 ? ' xyzzy' : ''}`;
    copy.run(nth, question);
    index.run(nth, question, textAt(nth + 7, 120));
  }
  database.exec('COMMIT');
  database.close();
  const [often, seldom] = [wordOf(1), wordOf(300)];
  const searches = ['xyzzy', often, seldom, `${often} ${seldom}`, often.slice(0, 3)];
  const subjects = searches.map((words) => [words, () => time([...svc, 'logs', words], env)]);
  const start = () =>
    time([...svc, 'logs', '--limit', '1', '-q'], { SVC_CONFIG_DIR: `${home}-none` });
  const times = await interleave({ ...Object.fromEntries(subjects), start }, rounds);
  const over = searches.map((words) => median(times[words]) - median(times.start));
  const slowest = `${Math.max(...over).toFixed(0)} ms`;
  const limit = turns === curve.at(-1) ? '≤ 50 ms' : '';
  reportFigure(`a search of ${turns} turns over a start`, slowest, limit);
  rmSync(home, { recursive: true });
}
