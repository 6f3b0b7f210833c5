/** What is paid for, on disk before a request is sent: append-only events, and the jobs they add up to. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Owner } from '../files/owner.js';
import type { SavedBytes } from '../files/saved-file.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { Account, oneService } from './account.js';
import { StateDatabase } from './database.js';
import type { Paths } from './paths.js';
import { KeptBody, RequestBodies } from './request-bodies.js';

/** Of the job with this Idempotency-Key, at this time (epoch, ms). */
function event<Type extends string, Shape extends object>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), intent: z.string(), atMs: z.number(), ...shape });
}

const text = z.optional(z.string());
const number = z.optional(z.number());
/** Where results go: an absolute -o, or `.` for any current folder. Without it nothing is downloaded automatically. */
const output = text;

const Wanted = event('wanted', {
  /** What it is; only `generate` has a key that the specification names (section 4.3). */
  kind: z.enum(['generate', 'extend', 'image', 'voice', 'speech', 'transcription']),
  account: Account,
  owner: z.optional(Owner),
  model: z.string(),
  /** A hash of the request, whatever its price: it identifies the same request again. */
  hash: z.string(),
  headers: z.record(z.string(), z.string()),
  output,
  /** The request, byte for byte: here, or beside the ledger. */
  body: z.optional(z.string()),
  keptBody: z.optional(KeptBody),
  quotedRub: number,
});

const route = z.optional(z.record(z.string(), z.string()));
/** The `path` is absolute; a content is known by its `sha256` (files/saved-file.ts). */
const file = { index: z.number(), path: z.string(), bytes: z.number(), sha256: text };

const facts = {
  priceRub: number,
  results: number,
  expiresAtMs: number,
  code: text,
  message: text,
  guidance: text,
};

const LedgerEvent = z.discriminatedUnion('type', [
  Wanted,
  event('accepted', { jobId: z.string(), status: text, priceRub: number, route }),
  // There is no such job, and nothing was charged: it was refused, or never sent.
  event('dropped', { why: z.enum(['refused', 'not_sent']), code: text, message: text }),
  // The service may have it. Unanswered: it is perhaps still processed.
  event('uncertain', { isUnanswered: z.boolean(), message: text }),
  // The state of the job at the service; written when it changes.
  event('reported', {
    /** A status of the service, `not_started` (a sandbox job) or `unknown_job` (404). */
    status: z.string(),
    ...facts,
    route,
    /** Whether svc saw the job run and then end: the time until now is how long it took. */
    sawEnd: z.optional(z.boolean()),
  }),
  // A result is complete on this disk. Written just before it gets its name, and checked by its hash.
  event('saved', file),
  z.omit(event('fetched', { account: Account, jobId: z.string(), ...file }), { intent: true }),
  event('resumed', { owner: Owner, output }),
  // No later run resumes it: its run succeeded, or `--new` was given.
  event('closed', {}),
]);

export type WantedEvent = z.output<typeof Wanted>;
export type LedgerEvent = z.output<typeof LedgerEvent>;

export interface LedgerJob
  extends Omit<WantedEvent, 'type' | 'atMs'>, z.output<z.ZodMiniObject<typeof facts>> {
  readonly wantedAtMs: number;
  readonly changedAtMs: number;
  /** When a request last went out, as far as is known, that was not answered. */
  readonly unansweredAtMs: number;
  /** `sending`, `uncertain`, `refused`, `not_sent`; once accepted, what was `reported`. */
  readonly state: string;
  readonly jobId?: string;
  readonly acceptedAtMs?: number;
  readonly finishedAtMs?: number;
  readonly tookMs?: number;
  /** Of a small request, cut to one line. */
  readonly prompt?: string;
  readonly route: Readonly<Record<string, string>>;
  readonly saved: readonly SavedFile[];
  readonly isClosed: boolean;
}

export interface SavedFile extends SavedBytes {
  readonly index: number;
}

const failed: ReadonlySet<string> = new Set(['fail', 'not_started', 'unknown_job']);

export function isEnded(state: string): boolean {
  return state === 'success' || failed.has(state);
}

export function isUnfinished({ jobId, state }: LedgerJob): boolean {
  return jobId === undefined && (state === 'sending' || state === 'uncertain');
}

/** Whether a later run of the same request has something to resume. */
export function isOpen(job: LedgerJob): boolean {
  if (job.isClosed) return false;
  return isUnfinished(job) || (job.jobId !== undefined && !failed.has(job.state));
}

export function isUnderWay({ jobId, state }: LedgerJob): boolean {
  return jobId !== undefined && !isEnded(state);
}

const StoredEvent = z.object({ seq: z.number(), event: z.string() });

/** `requests` holds what is paid for and makes no media job. */
export type Book = 'jobs' | 'requests';

/** A book of the ledger in state.db, opened when it is used. All methods throw LocalFileError. */
export class Ledger {
  readonly path: string;
  readonly bodies: RequestBodies;
  readonly #database: StateDatabase;
  readonly #jobs = new Map<string, LedgerJob>();
  readonly #copies = new Map<string, SavedFile & { readonly of: string }>();
  /** The event that was read last: none is read twice. */
  #last = 0;
  #unreadable = 0;

  /** @param newest only so many events are read. */
  constructor(
    paths: Paths,
    private readonly book: Book = 'jobs',
    private readonly newest = 1e15,
  ) {
    const hint = 'make room or access, then run it again';
    this.#database = new StateDatabase(paths, 'the job ledger', hint);
    this.path = this.#database.path;
    this.bodies = new RequestBodies(join(paths.data, 'jobs'));
  }

  jobs(): LedgerJob[] {
    this.#read();
    return [...this.#jobs.values()];
  }

  /** The job of this key. */
  job(intent: string | undefined): LedgerJob | undefined {
    this.#read();
    return this.#jobs.get(intent ?? '');
  }

  /** How many events cannot be read. */
  unreadable(): number {
    this.#read();
    return this.#unreadable;
  }

  /** The files with results of a job, wherever they were put, by its key and by its id. */
  copies(job: JobName & { readonly intent?: string }): SavedFile[] {
    this.#read();
    const names = [job.intent, nameOf(job)];
    return [...this.#copies.values()].filter(({ of }) => names.includes(of)).map(savedFile);
  }

  append(event: LedgerEvent): void {
    const add = 'INSERT INTO ledger (book, event) VALUES (?, ?)';
    this.#database.run(add, this.book, JSON.stringify(event));
  }

  #read(): void {
    const start = 'max(?, (SELECT max(seq) FROM ledger) - ?)';
    const news = `SELECT seq, event FROM ledger WHERE seq > ${start} AND book = ? ORDER BY seq`;
    const rows = this.#database.all(StoredEvent, news, this.#last, this.newest, this.book);
    for (const { seq, event: text } of rows) {
      const event = LedgerEvent.safeParse(parsedJson(text)).data;
      if (event) this.#take(event);
      else this.#unreadable += 1;
      this.#last = seq;
    }
  }

  /** Events come from several processes in any order: an id wins over all else. */
  #take(event: LedgerEvent): void {
    if (event.type === 'fetched' || event.type === 'saved') {
      const of = event.type === 'saved' ? event.intent : nameOf(event);
      this.#copies.set(`${of} ${event.path}`, { ...savedFile(event), of });
    }
    if (event.type === 'fetched') return;
    const { intent, atMs } = event;
    const job = this.#jobs.get(intent);
    if (event.type !== 'wanted') {
      const news = job && changeBy(job, event);
      if (news) this.#jobs.set(intent, { ...job, ...news, changedAtMs: atMs });
    } else if (job?.jobId === undefined) {
      // A key that was refused may be used again, for another request.
      const { atMs: wantedAtMs, ...request } = event;
      const prompt = plainText(
        textOf(recordOf(parsedJson(request.body ?? ''))['prompt']) ?? '',
        200,
      );
      const times = { wantedAtMs, changedAtMs: atMs, unansweredAtMs: atMs };
      const none = { route: {}, saved: [], isClosed: false };
      this.#jobs.set(intent, { ...request, prompt, ...times, ...none, state: 'sending' });
    }
  }
}

type JobName = Pick<LedgerEvent & { type: 'fetched' }, 'account' | 'jobId'>;

/** Stands for the key of a job that has none here; no key holds a space. */
function nameOf({ account, jobId }: JobName): string {
  return `${oneService(account.service)} ${account.keyHash} ${jobId}`;
}

function changeBy(job: LedgerJob, event: Exclude<LedgerEvent, { type: 'fetched' | 'wanted' }>) {
  const { type, atMs } = event;
  const isEarlier = type === 'accepted' || type === 'dropped' || type === 'uncertain';
  if (isEarlier && job.jobId !== undefined) return undefined;
  switch (type) {
    case 'accepted': {
      const { jobId, status: state = 'processing', priceRub, route = {} } = event;
      const nothing = { body: undefined, code: undefined, message: undefined };
      return { ...nothing, jobId, state, priceRub, route, acceptedAtMs: atMs };
    }
    case 'dropped':
      return { state: event.why, code: event.code, message: event.message };
    case 'uncertain': {
      const unansweredAtMs = event.isUnanswered ? atMs : job.unansweredAtMs;
      return { state: 'uncertain', message: event.message, unansweredAtMs };
    }
    case 'reported': {
      const isLast = isEnded(event.status);
      if (isEnded(job.state) && !isLast) return undefined;
      const { status: state, code, message, guidance, sawEnd } = event;
      const { priceRub = job.priceRub, results = job.results } = event;
      const { expiresAtMs = job.expiresAtMs } = event;
      const isTimed = isLast && sawEnd === true && job.acceptedAtMs !== undefined;
      return {
        ...{ state, priceRub, results, expiresAtMs, code, message, guidance },
        route: { ...job.route, ...event.route },
        finishedAtMs: isLast ? (job.finishedAtMs ?? atMs) : undefined,
        tookMs: isTimed ? atMs - job.acceptedAtMs : job.tookMs,
      };
    }
    case 'saved': {
      const others = job.saved.filter(({ index }) => index !== event.index);
      return { saved: [...others, savedFile(event)] };
    }
    case 'resumed':
      return { owner: event.owner, output: event.output ?? job.output };
    case 'closed':
      return { isClosed: true };
  }
}

function savedFile({ index, path, bytes, sha256 }: SavedFile): SavedFile {
  return { index, path, bytes, sha256 };
}
