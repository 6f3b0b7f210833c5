/** A row for each job of the ledger, by which it is found: made from the events, and never more than they say. */
import * as z from 'zod/mini';
import { parsedJson } from '../lib/json.js';
import type { Value } from '../lib/sql.js';
import { oneService, type Account } from './account.js';
import type { StateDatabase } from './database.js';
import { isOpen, isUnderWay, isUnfinished, isUnsaved, jobAfter } from './ledger-job.js';
import { LedgerEvent, LedgerJob, savedFile, SavedFile } from './ledger-job.js';

/** Raised when the same events, or the same tables, are to hold something else. */
const foldVersion = 1;

/** The end of a job in progress: later than any other. */
export const inProgressMs = Number.MAX_SAFE_INTEGER;

const tablesIn = (schema: 'main' | 'temp') => `
  DROP TABLE IF EXISTS ${schema}.ledger_fold;
  DROP TABLE IF EXISTS ${schema}.ledger_jobs;
  DROP TABLE IF EXISTS ${schema}.ledger_files;
  CREATE TABLE ${schema}.ledger_fold (state TEXT NOT NULL);
  CREATE TABLE ${schema}.ledger_jobs (
    seq INTEGER PRIMARY KEY, book TEXT NOT NULL, intent TEXT NOT NULL, jobId TEXT,
    account TEXT NOT NULL, model TEXT NOT NULL, hash TEXT NOT NULL, isOpen INTEGER NOT NULL,
    isUnsaved INTEGER NOT NULL, endedAtMs REAL, tookMs REAL, job TEXT NOT NULL);
  CREATE UNIQUE INDEX ${schema}.ledger_by_intent ON ledger_jobs (book, intent);
  CREATE INDEX ${schema}.ledger_by_id ON ledger_jobs (book, jobId) WHERE jobId IS NOT NULL;
  CREATE INDEX ${schema}.ledger_by_hash ON ledger_jobs (book, isOpen, hash);
  CREATE INDEX ${schema}.ledger_by_end ON ledger_jobs (book, endedAtMs, account)
    WHERE endedAtMs IS NOT NULL;
  CREATE INDEX ${schema}.ledger_by_account ON ledger_jobs (book, account)
    WHERE endedAtMs IS NOT NULL;
  CREATE INDEX ${schema}.ledger_unsaved ON ledger_jobs (book, account) WHERE isUnsaved = 1;
  CREATE INDEX ${schema}.ledger_timed ON ledger_jobs (book, account, model)
    WHERE tookMs IS NOT NULL;
  CREATE TABLE ${schema}.ledger_files (
    book TEXT NOT NULL, owner TEXT NOT NULL, path TEXT NOT NULL, seq INTEGER NOT NULL,
    file TEXT NOT NULL, PRIMARY KEY (book, owner, path)) WITHOUT ROWID`;

/** Events are only ever added: where that is not so, the rows are void. */
const triggers = `
  CREATE TRIGGER IF NOT EXISTS ledger_deleted AFTER DELETE ON ledger
    BEGIN DELETE FROM ledger_fold; END;
  CREATE TRIGGER IF NOT EXISTS ledger_updated AFTER UPDATE ON ledger
    BEGIN DELETE FROM ledger_fold; END`;

const made = `${tablesIn('main')};${triggers}`;
const countOfMade = made.split('CREATE ').length - 1;

/** What the rows were made from. */
const FoldState = z.object({
  version: z.number(),
  /** Of the last event in them; those after it were written by an svc that knows no rows. */
  seq: z.number(),
  /** The number of jobs in each book. */
  jobs: z.record(z.string(), z.number()),
  /** The number of events in each book that cannot be read. */
  unreadable: z.record(z.string(), z.number()),
});
type FoldState = z.output<typeof FoldState>;

interface JobRow {
  /** Of the event that began it: the order of jobs. */
  readonly seq: number;
  readonly book: string;
  readonly job: LedgerJob;
}

const Standing = z.object({ state: z.nullable(z.string()), last: z.nullable(z.number()) });
const Count = z.object({ count: z.number() });
const StoredEvent = z.object({ seq: z.number(), book: z.string(), event: z.string() });
type StoredEvent = z.output<typeof StoredEvent>;
const StoredJob = z.object({ seq: z.number(), job: z.string() });
const StoredFile = z.object({ file: z.string() });

/** So many events are taken in at once: other processes can write between two times. */
const maxEventsAtOnce = 1000;

/** Stands for the account in the rows. */
export function accountName({ service, keyHash }: Account): string {
  return `${oneService(service)} ${keyHash}`;
}

export class LedgerFold {
  #isMade = false;
  /** Whether the rows are in temporary tables, in front of those that cannot be written. */
  #isTemporary = false;
  #damage: 'none' | 'seen' | 'mended' = 'none';

  /** @param maxEvents where the rows cannot be written, they are made from so many events only */
  constructor(
    private readonly database: StateDatabase,
    private readonly maxEvents = Infinity,
  ) {}

  /** Takes in the events that the rows do not hold yet. @returns what they hold then */
  catchUp(): FoldState {
    for (;;) {
      const standing = this.#standing();
      if (!standing) return { version: foldVersion, seq: 0, jobs: {}, unreadable: {} };
      if (standing.state?.seq === standing.last) return standing.state;
      if (this.database.isReadOnly) this.#takeSome();
      else this.database.transaction(() => this.#takeSome());
    }
  }

  append(book: string, event: LedgerEvent): void {
    this.catchUp();
    this.database.transaction(() => {
      const add = 'INSERT INTO ledger (book, event) VALUES (?, ?)';
      this.database.run(add, book, JSON.stringify(event));
      this.catchUp();
    });
  }

  /** @param where the condition, order and limit of the rows */
  jobs(where: string, ...values: Value[]): LedgerJob[] {
    const read = () => {
      this.catchUp();
      return this.database
        .all(StoredJob, `SELECT seq, job FROM ledger_jobs WHERE ${where}`, ...values)
        .flatMap(({ job }) => this.#jobOf(job) ?? []);
    };
    const jobs = read();
    return this.#damage === 'seen' ? read() : jobs;
  }

  files(book: string, owners: readonly string[]): SavedFile[] {
    this.catchUp();
    const find = `SELECT file FROM ledger_files
      WHERE book = ? AND owner IN (SELECT value FROM json_each(?)) ORDER BY seq`;
    return this.database
      .all(StoredFile, find, book, JSON.stringify(owners))
      .map(({ file }) => SavedFile.parse(parsedJson(file)));
  }

  /** The newest event, and what the rows are made from: nothing, where that is not these events. */
  #standing(): { readonly last: number; readonly state: FoldState | undefined } | undefined {
    if (!this.#isMade) {
      const count = "SELECT count(*) AS count FROM sqlite_master WHERE name GLOB 'ledger_*'";
      const [here] = this.database.all(Count, count);
      if (!here) return undefined;
      this.#isMade = here.count >= countOfMade;
    }
    const stored = this.#isMade ? '(SELECT state FROM ledger_fold)' : 'NULL';
    const find = `SELECT ${stored} AS state, (SELECT max(seq) FROM ledger) AS last`;
    const [row] = this.database.all(Standing, find);
    if (!row) return undefined;
    const last = row.last ?? 0;
    const state = FoldState.safeParse(parsedJson(row.state ?? '')).data;
    const isValid = state?.version === foldVersion && state.seq <= last;
    const canGrow = this.#isTemporary || !this.database.isReadOnly || state?.seq === last;
    return { last, state: isValid && canGrow && this.#damage !== 'seen' ? state : undefined };
  }

  #takeSome(): void {
    // Another process may have taken them in.
    const { last, state = this.#begin(last) } = this.#standing() ?? { last: 0 };
    const find = 'SELECT seq, book, event FROM ledger WHERE seq > ? ORDER BY seq LIMIT ?';
    const events = this.database.all(StoredEvent, find, state.seq, maxEventsAtOnce);
    const rows = new Map<string, JobRow>();
    for (const event of events) this.#take(event, state, rows);
    if (this.#damage === 'seen') return;
    for (const row of rows.values()) this.#write(row);
    this.database.run('UPDATE ledger_fold SET state = ?', JSON.stringify(state));
  }

  /** Empty tables, before the first event. */
  #begin(last: number): FoldState {
    const { isReadOnly } = this.database;
    this.database.exec(isReadOnly ? tablesIn('temp') : made);
    [this.#isMade, this.#isTemporary] = [true, isReadOnly];
    if (this.#damage === 'seen') this.#damage = 'mended';
    const seq = isReadOnly ? Math.max(0, last - this.maxEvents) : 0;
    const state = { version: foldVersion, seq, jobs: {}, unreadable: {} };
    this.database.run('INSERT INTO ledger_fold VALUES (?)', JSON.stringify(state));
    return state;
  }

  #take(stored: StoredEvent, state: FoldState, rows: Map<string, JobRow>): void {
    const { seq, book } = stored;
    state.seq = seq;
    const event = LedgerEvent.safeParse(parsedJson(stored.event)).data;
    if (!event) {
      state.unreadable[book] = (state.unreadable[book] ?? 0) + 1;
      return;
    }
    if (event.type === 'fetched' || event.type === 'saved') this.#writeFile(stored, event);
    if (event.type === 'fetched') return;
    const key = `${book} ${event.intent}`;
    const row = rows.get(key) ?? this.#row(book, event.intent);
    const job = jobAfter(row?.job, event);
    if (!job) return;
    if (!row) state.jobs[book] = (state.jobs[book] ?? 0) + 1;
    rows.set(key, { seq: row?.seq ?? seq, book, job });
  }

  #row(book: string, intent: string): JobRow | undefined {
    const find = 'SELECT seq, job FROM ledger_jobs WHERE book = ? AND intent = ?';
    const [row] = this.database.all(StoredJob, find, book, intent);
    const job = row && this.#jobOf(row.job);
    return job && { seq: row.seq, book, job };
  }

  #write({ seq, book, job }: JobRow): void {
    const { intent, jobId = null, account, model, hash, state, tookMs = null } = job;
    const isInProgress = isUnfinished(job) || isUnderWay(job);
    // A request that was refused has never been in progress.
    const endedAtMs = jobId === null ? null : (job.finishedAtMs ?? job.changedAtMs);
    this.database.run(
      'INSERT OR REPLACE INTO ledger_jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[seq, book, intent, jobId, accountName(account), model, hash, Number(isOpen(job))],
      // Of an open run, not even the files that were saved are sure.
      Number(isUnsaved(job, job.isClosed)),
      isInProgress ? inProgressMs : endedAtMs,
      state === 'success' ? tookMs : null,
      JSON.stringify(job),
    );
  }

  /** By the key of its job; where that has none here, by its account and id: no key holds a space. */
  #writeFile({ seq, book }: StoredEvent, event: LedgerEvent & { type: 'saved' | 'fetched' }): void {
    const owner = event.type === 'saved' ? event.intent : fetchedOwner(event);
    this.database.run(
      `INSERT INTO ledger_files (book, owner, path, seq, file) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET file = excluded.file`,
      ...[book, owner, event.path, seq, JSON.stringify(savedFile(event))],
    );
  }

  /** Rows that cannot be read are made again, once. */
  #jobOf(text: string): LedgerJob | undefined {
    const job = LedgerJob.safeParse(parsedJson(text)).data;
    if (job) return job;
    if (this.#damage !== 'none') throw new Error(`a job in ${this.database.path} is damaged`);
    this.#damage = 'seen';
    return undefined;
  }
}

/** The name that the files of a job have which was made elsewhere. */
export function fetchedOwner(job: { readonly account: Account; readonly jobId: string }): string {
  return `${accountName(job.account)} ${job.jobId}`;
}
