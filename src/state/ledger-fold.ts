/** From the events of the ledger to what is known of each job. */
import type { SavedBytes } from '../files/saved-file.js';
import type { Account } from './account.js';
import type { KeptBody, LedgerEvent, WantedEvent } from './ledger-events.js';

/**
 * Where a job stands. Before the service is known to have it: `sending` (wanted, and no more is
 * known: a process is at it, or was cut off), `uncertain` (it left, no answer came), `refused`,
 * `not_sent`. After that a status of the service: `submitting`, `processing`, `success`, `fail`;
 * or `not_started` (a sandbox job that never ran), `unknown_job` (the service knows it no more).
 */
export type JobState = string;

export interface LedgerJob {
  /** The Idempotency-Key. */
  readonly intent: string;
  readonly kind: WantedEvent['kind'];
  readonly account: Account;
  readonly owner: WantedEvent['owner'];
  readonly model: string;
  readonly wish: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Forgotten once the service has the job: nobody sends it again. */
  readonly body: string | undefined;
  readonly keptBody: KeptBody | undefined;
  readonly quotedRub: number | undefined;
  readonly wantedAtMs: number;
  /** When it was last written about. */
  readonly changedAtMs: number;
  /** When a request last went out, as far as is known, that was not answered. */
  readonly unansweredAtMs: number;
  readonly state: JobState;
  readonly jobId: string | undefined;
  readonly priceRub: number | undefined;
  readonly acceptedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  /** How long it took, when somebody was waiting for it. */
  readonly tookMs: number | undefined;
  readonly results: number | undefined;
  readonly expiresAtMs: number | undefined;
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** What to do about the code, in the words of the service. */
  readonly guidance: string | undefined;
  readonly route: Readonly<Record<string, string>>;
  readonly saved: readonly SavedFile[];
  /** No later run of the same request goes on with it. */
  readonly isClosed: boolean;
}

/** A file that was to get this name; what is there now, its content tells. */
export interface SavedFile extends SavedBytes {
  readonly index: number;
}

const ended: ReadonlySet<JobState> = new Set(['success', 'fail', 'not_started', 'unknown_job']);

/** Whether a state of the service is a last one. */
export function isEnded(state: JobState): boolean {
  return ended.has(state);
}

/** Whether the service may have it under an id that is not known here yet. */
export function isUnsettled({ jobId, state }: LedgerJob): boolean {
  return jobId === undefined && (state === 'sending' || state === 'uncertain');
}

/** Whether a later run of the same request has something to go on with. */
export function isOpen(job: LedgerJob): boolean {
  if (job.isClosed) return false;
  return isUnsettled(job) || (job.jobId !== undefined && !failed.has(job.state));
}

const failed: ReadonlySet<JobState> = new Set(['fail', 'not_started', 'unknown_job']);

/** Whether the service has it and may still be at work on it. */
export function isUnderWay({ jobId, state }: LedgerJob): boolean {
  return jobId !== undefined && !isEnded(state);
}

/** A job whose files are asked for. */
export interface Copied {
  /** Its key; undefined when it was not made from here. */
  readonly intent: string | undefined;
  readonly jobId: string;
  readonly account: Account;
}

type JobEvent = Exclude<LedgerEvent, { type: 'fetched' }>;

export interface JobFold {
  take(event: LedgerEvent): void;
  /** The jobs by now, in the order in which they were wanted. */
  jobs(): LedgerJob[];
  /** The files with results of a job, wherever they were put, by its key and by its id. */
  copies(job: Copied): SavedFile[];
}

/**
 * Makes jobs of events. Several processes may have written about one job, in any order: an id that
 * is known wins over every word that there is none.
 */
export function jobFold(): JobFold {
  const jobs = new Map<string, LedgerJob>();
  const copies = new Map<string, SavedFile & { readonly of: string }>();
  return {
    take: (event) => {
      if (event.type === 'fetched' || event.type === 'saved') {
        const of = event.type === 'saved' ? event.intent : nameOf(event);
        copies.set(`${of} ${event.path}`, { ...savedFile(event), of });
      }
      if (event.type === 'fetched') return;
      const job = jobs.get(event.intent);
      if (event.type === 'wanted') {
        if (job?.jobId === undefined) jobs.set(event.intent, wanted(event));
        return;
      }
      const news = job && told(job, event);
      if (news) jobs.set(event.intent, { ...job, ...news, changedAtMs: event.atMs });
    },
    jobs: () => [...jobs.values()],
    copies: (job) => {
      const names = [job.intent, nameOf(job)];
      return [...copies.values()].filter(({ of }) => names.includes(of)).map(savedFile);
    },
  };
}

/** A key that was refused may be used again, for another request. */
function wanted(event: WantedEvent): LedgerJob {
  return {
    intent: event.intent,
    kind: event.kind,
    account: event.account,
    owner: event.owner,
    model: event.model,
    wish: event.wish,
    headers: event.headers,
    body: event.body,
    keptBody: event.keptBody,
    quotedRub: event.quotedRub,
    wantedAtMs: event.atMs,
    changedAtMs: event.atMs,
    unansweredAtMs: event.atMs,
    state: 'sending',
    jobId: undefined,
    priceRub: undefined,
    acceptedAtMs: undefined,
    finishedAtMs: undefined,
    tookMs: undefined,
    results: undefined,
    expiresAtMs: undefined,
    code: undefined,
    message: undefined,
    guidance: undefined,
    route: {},
    saved: [],
    isClosed: false,
  };
}

/** Stands for the key of a job that has none here; no key holds a space. */
function nameOf({ account, jobId }: Pick<Copied, 'account' | 'jobId'>): string {
  return `${account.service} ${account.keyHash} ${jobId}`;
}

/** What an event changes; undefined when it is no news. */
type News = Partial<LedgerJob> | undefined;

function told(job: LedgerJob, event: Exclude<JobEvent, WantedEvent>): News {
  switch (event.type) {
    case 'accepted':
      return job.jobId === undefined ? accepted(event) : undefined;
    case 'dropped':
      if (job.jobId !== undefined) return undefined;
      return { state: event.why, code: event.code, message: event.message };
    case 'uncertain':
      if (job.jobId !== undefined) return undefined;
      return {
        state: 'uncertain',
        message: event.message,
        unansweredAtMs: event.isUnanswered ? event.atMs : job.unansweredAtMs,
      };
    case 'told':
      return isEnded(job.state) && !isEnded(event.status) ? undefined : statusTold(job, event);
    case 'saved':
      return { saved: [...job.saved.filter(notOf(event.index)), savedFile(event)] };
    case 'resumed':
      return { owner: event.owner };
    case 'closed':
      return { isClosed: true };
  }
}

function accepted({
  jobId,
  status: state = 'processing',
  priceRub,
  route = {},
  atMs: acceptedAtMs,
}: Extract<LedgerEvent, { type: 'accepted' }>): News {
  const nothing = { body: undefined, code: undefined, message: undefined };
  return { ...nothing, jobId, state, priceRub, route, acceptedAtMs };
}

function statusTold(job: LedgerJob, event: Extract<LedgerEvent, { type: 'told' }>): News {
  const isLast = isEnded(event.status);
  const { acceptedAtMs } = job;
  const isTimed = isLast && event.watched === true && acceptedAtMs !== undefined;
  return {
    state: event.status,
    priceRub: event.priceRub ?? job.priceRub,
    results: event.results ?? job.results,
    expiresAtMs: event.expiresAtMs ?? job.expiresAtMs,
    code: event.code,
    message: event.message,
    guidance: event.guidance,
    route: { ...job.route, ...event.route },
    finishedAtMs: isLast ? (job.finishedAtMs ?? event.atMs) : undefined,
    tookMs: isTimed ? event.atMs - acceptedAtMs : job.tookMs,
  };
}

function notOf(index: number): (file: SavedFile) => boolean {
  return (file) => file.index !== index;
}

function savedFile({ index, path, bytes, sha256 }: SavedFile): SavedFile {
  return { index, path, bytes, sha256 };
}
