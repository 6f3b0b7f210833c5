/** What is paid for, on disk before a request is sent: append-only events, and the jobs they add up to. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parsedJson } from '../lib/json.js';
import type { Value } from '../lib/sql.js';
import type { Account } from './account.js';
import { StateDatabase } from './database.js';
import { accountName, fetchedOwner, inProgressMs, LedgerFold } from './ledger-fold.js';
import type { LedgerEvent, LedgerJob, SavedFile } from './ledger-job.js';
import type { Paths } from './paths.js';
import { RequestBodies } from './request-bodies.js';

/** `requests` holds what is paid for and makes no media job. */
export type Book = 'jobs' | 'requests';

/** So many jobs are read at a time where all are shown. */
const pageLength = 200;
/** So many names tell a person that an id is ambiguous. */
const maxNamesakes = 60;

const SeqList = z.object({ list: z.string() });
const Seqs = z.array(z.number());
const Time = z.object({ tookMs: z.number() });

/**
 * A book of the ledger in state.db, opened when it is used. Jobs are listed oldest first, unless
 * it says otherwise; each search reads only the jobs that it returns. All methods throw
 * LocalFileError.
 */
export class Ledger {
  readonly path: string;
  readonly bodies: RequestBodies;
  readonly #database: StateDatabase;
  readonly #fold: LedgerFold;

  /** @param maxEvents where nothing may be written, it may be that only so many are read */
  constructor(
    paths: Paths,
    private readonly book: Book = 'jobs',
    maxEvents?: number,
  ) {
    const hint = 'make room or access, then run it again';
    this.#database = new StateDatabase(paths, 'the job ledger', hint);
    this.#fold = new LedgerFold(this.#database, maxEvents);
    this.path = this.#database.path;
    this.bodies = new RequestBodies(join(paths.data, 'jobs'));
  }

  append(event: LedgerEvent): void {
    this.#fold.append(this.book, event);
  }

  /** How many jobs there are. */
  count(): number {
    return this.#fold.catchUp().jobs[this.book] ?? 0;
  }

  /** How many events cannot be read. */
  unreadable(): number {
    return this.#fold.catchUp().unreadable[this.book] ?? 0;
  }

  jobs(): LedgerJob[] {
    return this.#jobs('true ORDER BY seq');
  }

  /** The job of this key. */
  job(intent: string | undefined): LedgerJob | undefined {
    const [job] = this.#jobs('intent = ?', intent ?? '');
    return job;
  }

  /** The jobs of any account with this id. */
  jobsOfId(jobId: string): LedgerJob[] {
    return this.#jobs('jobId = ? ORDER BY seq', jobId);
  }

  /** Jobs whose id begins so, or their key, where they have no id; some of them, if they are many. */
  jobsStartingWith(start: string, account: Account): LedgerJob[] {
    const ids = 'jobId >= ? AND jobId < ? AND account = ? LIMIT ?';
    const keys = 'intent >= ? AND intent < ? AND account = ? AND jobId IS NULL LIMIT ?';
    // The second is behind every text that begins like the first.
    const range = [start, `${start}\u{10ffff}`, accountName(account), maxNamesakes];
    return [ids, keys].flatMap((where) => this.#jobs(where, ...range));
  }

  /** Every job for this request, whatever its price. */
  jobsOfRequest(hash: string, account: Account): LedgerJob[] {
    const where = 'isOpen IN (0, 1) AND hash = ? AND account = ? ORDER BY seq';
    return this.#jobs(where, hash, accountName(account));
  }

  /** Those that a later run of the same request may resume. */
  openJobs(): LedgerJob[] {
    return this.#jobs('isOpen = 1 ORDER BY seq');
  }

  openJobsOfRequest(hash: string, account: Account): LedgerJob[] {
    const where = 'isOpen = 1 AND hash = ? AND account = ? ORDER BY seq';
    return this.#jobs(where, hash, accountName(account));
  }

  /** Those that are unfinished or under way. */
  jobsInProgress(account: Account): LedgerJob[] {
    const where = 'endedAtMs = ? AND account = ? ORDER BY seq';
    return this.#jobs(where, inProgressMs, accountName(account));
  }

  /** Those of every account. */
  allJobsInProgress(): LedgerJob[] {
    return this.#jobs('endedAtMs = ? ORDER BY seq', inProgressMs);
  }

  /** Successful jobs whose results may not all be here. */
  unsavedJobs(account: Account): LedgerJob[] {
    return this.#jobs('isUnsaved = 1 AND account = ? ORDER BY seq', accountName(account));
  }

  /** The newest jobs, first, without those that were refused or never sent. */
  newestJobs(account: Account, count: number): LedgerJob[] {
    const where = 'account = ? AND endedAtMs IS NOT NULL ORDER BY seq DESC LIMIT ?';
    return this.#jobs(where, accountName(account), count);
  }

  /** All jobs in pages, newest first, read when they are wanted. @param which of only these jobs */
  *pages(which?: { readonly account: Account; readonly endedAfterMs: number }) {
    this.#fold.catchUp();
    const where = which ? 'book = ? AND account = ? AND endedAtMs > ?' : 'book = ?';
    const values = which ? [accountName(which.account), which.endedAfterMs] : [];
    const seqs = `SELECT seq FROM ledger_jobs WHERE ${where} ORDER BY seq DESC`;
    const find = `SELECT json_group_array(seq) AS list FROM (${seqs})`;
    const [{ list } = { list: '[]' }] = this.#database.all(SeqList, find, this.book, ...values);
    const all = Seqs.parse(parsedJson(list));
    for (let at = 0; at < all.length; at += pageLength) {
      const page = JSON.stringify(all.slice(at, at + pageLength));
      yield this.#fold.jobs('seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC', page);
    }
  }

  /** How long the last successful jobs of this model took (ms), newest first. */
  timesOf(model: string, account: Account, count: number): number[] {
    this.#fold.catchUp();
    const find = `SELECT tookMs FROM ledger_jobs WHERE book = ? AND account = ? AND model = ?
      AND tookMs IS NOT NULL ORDER BY seq DESC LIMIT ?`;
    const values = [this.book, accountName(account), model, count];
    return this.#database.all(Time, find, ...values).map(({ tookMs }) => tookMs);
  }

  /** The files with results of a job, wherever they were put, by its key and by its id. */
  copies(job: Parameters<typeof fetchedOwner>[0] & { readonly intent?: string }): SavedFile[] {
    return this.#fold.files(this.book, [job.intent ?? '', fetchedOwner(job)]);
  }

  #jobs(where: string, ...values: Value[]): LedgerJob[] {
    return this.#fold.jobs(`book = ? AND ${where}`, this.book, ...values);
  }
}
