/** The rows of the ledger, which always hold what its events say. */
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { withoutWriting } from '../../src/state/database.js';
import { Ledger } from '../../src/state/ledger.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';
import { changeLedger, databaseIn } from '../helpers/state.js';

const account = { profile: 'default', service: 'https://service.test', keyHash: 'h' };

/** Three jobs of one account: under way, of `ready` results, and refused. */
function jobsIn(home: string): Ledger {
  const ledger = new Ledger(pathsFrom({ SVC_CONFIG_DIR: home }));
  const request = { kind: 'generate', account, model: 'm', hash: 'w', headers: {} } as const;
  for (const [atMs, intent] of ['a', 'b', 'c'].entries()) {
    ledger.append({ type: 'wanted', intent, atMs, ...request });
    if (intent === 'c') ledger.append({ type: 'dropped', intent, atMs, why: 'refused' });
    else ledger.append({ type: 'accepted', intent, atMs, jobId: `job_${intent}` });
  }
  ledger.append({ type: 'reported', intent: 'b', atMs: 9, status: 'success' });
  return ledger;
}

const states = (ledger: Ledger) => ledger.jobs().map(({ state }) => state);
const all = ['processing', 'success', 'refused'];
const closed = (intent: string) => JSON.stringify({ type: 'closed', intent, atMs: 10 });
const addRaw = 'INSERT INTO ledger (book, event) VALUES (?, ?)';

it.each([
  ['a row is damaged', "UPDATE ledger_jobs SET job = '{' WHERE intent = 'b'"],
  ['a row lacks what it must have', "UPDATE ledger_jobs SET job = '{}' WHERE intent = 'b'"],
  ['they are of another version', `UPDATE ledger_fold SET state = replace(state, ':1', ':0')`],
  ['they are of events that are gone', `UPDATE ledger_fold SET state = replace(state, '7', '9')`],
  ['they are empty', 'DELETE FROM ledger_fold'],
  ['a table is missing', 'DROP TABLE ledger_files'],
  ['an index is missing', 'DROP INDEX ledger_by_hash'],
])('makes the rows again where %s', (_, damage) => {
  const home = testFolder();
  jobsIn(home);
  databaseIn(home).exec(damage);
  const again = new Ledger(pathsFrom({ SVC_CONFIG_DIR: home }));
  expect(states(again)).toEqual(all);
  again.append({ type: 'closed', intent: 'b', atMs: 10 });
  expect(again.openJobs().map(({ intent }) => intent)).toEqual(['a']);
});

it('makes a damaged row again before it adds an event to it', () => {
  const home = testFolder();
  const ledger = jobsIn(home);
  databaseIn(home).exec("UPDATE ledger_jobs SET job = '{' WHERE intent = 'b'");
  ledger.append({ type: 'closed', intent: 'b', atMs: 10 });
  expect(ledger.job('b')).toMatchObject({ jobId: 'job_b', state: 'success', isClosed: true });
});

it('takes in what an svc that knows no rows writes beside it', () => {
  const home = testFolder();
  const ledger = jobsIn(home);
  databaseIn(home).run(addRaw, 'jobs', closed('a'));
  ledger.append({ type: 'closed', intent: 'b', atMs: 11 });
  databaseIn(home).run(addRaw, 'jobs', '{"type":"future"}');
  expect(ledger.openJobs()).toEqual([]);
  expect([ledger.count(), ledger.unreadable()]).toEqual([3, 1]);
});

it('holds what the events say after some were changed or taken away', () => {
  const home = testFolder();
  const ledger = jobsIn(home);
  changeLedger(home, (texts) => texts.map((text) => text.replace('success', 'fail')));
  expect(states(ledger)).toEqual(['processing', 'fail', 'refused']);
  databaseIn(home).run(`UPDATE ledger SET event = replace(event, 'fail', 'success')`);
  expect(states(ledger)).toEqual(all);
});

it.each([
  ['of now', 'SELECT 1', all],
  ['that are behind', `INSERT INTO ledger (book, event) VALUES ('jobs', '${closed('a')}')`, all],
  ['that are missing', 'DROP TABLE ledger_jobs; DELETE FROM ledger_fold', all],
])('is read without writing from rows %s', (_, change, expected) => {
  const home = testFolder();
  jobsIn(home);
  const database = databaseIn(home);
  database.exec(change);
  const paths = pathsFrom({ SVC_CONFIG_DIR: home });
  const before = countOfRows(home);
  const read = withoutWriting(paths, () => states(new Ledger(paths)));
  expect(read).toEqual(expected);
  expect(countOfRows(home)).toEqual(before);
});

function countOfRows(home: string): unknown {
  const find =
    'SELECT (SELECT count(*) FROM sqlite_master) AS objects, (SELECT max(state) FROM ledger_fold) AS state';
  return databaseIn(home).all(
    z.object({ objects: z.number(), state: z.nullable(z.string()) }),
    find,
  );
}

it('finds a job by each of its names, and by what is to be done with it', () => {
  const ledger = jobsIn(testFolder());
  const keys = (jobs: readonly { intent: string }[]) => jobs.map(({ intent }) => intent);
  expect(keys(ledger.jobsOfId('job_a'))).toEqual(['a']);
  expect(keys(ledger.jobsStartingWith('job_', account))).toEqual(['a', 'b']);
  expect(keys(ledger.jobsStartingWith('c', account))).toEqual(['c']);
  expect(keys(ledger.jobsStartingWith('job_', { ...account, keyHash: 'other' }))).toEqual([]);
  expect(keys(ledger.jobsOfRequest('w', account))).toEqual(['a', 'b', 'c']);
  expect(keys(ledger.openJobsOfRequest('w', account))).toEqual(['a', 'b']);
  expect(keys(ledger.jobsInProgress(account))).toEqual(['a']);
  expect(keys(ledger.unsavedJobs(account))).toEqual(['b']);
  expect(keys(ledger.newestJobs(account, 1))).toEqual(['b']);
  expect([...ledger.pages()].map(keys)).toEqual([['c', 'b', 'a']]);
  expect([...ledger.pages({ account, endedAfterMs: 9 })].map(keys)).toEqual([['a']]);
});
