/** The events of the ledger, which are only ever added, and what is known of each job from them. */
import * as z from 'zod/mini';
import { Owner } from '../files/owner.js';
import type { SavedBytes } from '../files/saved-file.js';
import { Account } from './account.js';

export const bodyName = /^[0-9a-f]{8,64}\.json$/;

const KeptBody = z.object({ name: z.string().check(z.regex(bodyName)), bytes: z.number() });

/** What every event of a job has: the Idempotency-Key of its job, and when it happened (epoch, ms). */
const common = { intent: z.string(), atMs: z.number() };

function event<Type extends string, Shape extends object>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...common, ...shape });
}

const Wanted = event('wanted', {
  /** What it is; only `generate` has a key that the specification names (section 4.3). */
  kind: z.enum(['generate', 'extend', 'image', 'voice', 'speech', 'transcription']),
  account: Account,
  owner: z.optional(Owner),
  model: z.string(),
  /** A hash of what is wanted, whatever its price: the same request again is recognised by it. */
  hash: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The request, byte for byte: here, or beside the ledger. */
  body: z.optional(z.string()),
  keptBody: z.optional(KeptBody),
  quotedRub: z.optional(z.number()),
});

const text = z.optional(z.string());
const number = z.optional(z.number());
/** What the service tells of the way that a job goes, by its own names. */
const route = z.optional(z.record(z.string(), z.string()));
/** The `path` is absolute; a content is known by its `sha256` (files/saved-file.ts). */
const file = { index: z.number(), path: z.string(), bytes: z.number(), sha256: text };

const LedgerEvent = z.discriminatedUnion('type', [
  Wanted,
  event('accepted', { jobId: z.string(), status: text, priceRub: number, route }),
  // There is no such job, and nothing was charged: it was refused, or never left.
  event('dropped', { why: z.enum(['refused', 'not_sent']), code: text, message: text }),
  // Nobody knows whether the service has it. Unanswered: it is perhaps still being worked on.
  event('uncertain', { isUnanswered: z.boolean(), message: text }),
  // What the service tells of the job; written when it changes.
  event('reported', {
    /** A status of the service, `not_started` (a sandbox job) or `unknown_job` (404). */
    status: z.string(),
    priceRub: number,
    results: number,
    expiresAtMs: number,
    code: text,
    message: text,
    guidance: text,
    route,
    /** True when somebody was waiting, so that the time until now is how long the job took. */
    watched: z.optional(z.boolean()),
  }),
  // A result is whole on this disk. Written just before it gets its name: its content tells the rest.
  event('saved', file),
  z.object({
    type: z.literal('fetched'),
    atMs: common.atMs,
    account: Account,
    jobId: z.string(),
    ...file,
  }),
  event('resumed', { owner: Owner }),
  // No later run goes on with it: its run ended well, or `--new` was said.
  event('closed', {}),
]);

export type WantedEvent = z.output<typeof Wanted>;
export type LedgerEvent = z.output<typeof LedgerEvent>;
export type KeptBody = z.output<typeof KeptBody>;

export function eventIn(text: string): LedgerEvent | undefined {
  try {
    return LedgerEvent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

type Reported = Extract<LedgerEvent, { type: 'reported' }>;

type News = Omit<Reported, 'type' | 'intent' | 'atMs' | 'status' | 'route' | 'watched'>;

export interface LedgerJob extends Omit<WantedEvent, 'type' | 'atMs'>, Partial<News> {
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

/** Whether a later run of the same request has something to go on with. */
export function isOpen(job: LedgerJob): boolean {
  if (job.isClosed) return false;
  return isUnfinished(job) || (job.jobId !== undefined && !failed.has(job.state));
}

export function isUnderWay({ jobId, state }: LedgerJob): boolean {
  return jobId !== undefined && !isEnded(state);
}

export interface Copied {
  readonly intent: string | undefined;
  readonly jobId: string;
  readonly account: Account;
}

/** Makes jobs of events, written by several processes in any order: an id wins over all else. */
export function jobFold() {
  const jobs = new Map<string, LedgerJob>();
  const copies = new Map<string, SavedFile & { readonly of: string }>();
  return {
    take: (event: LedgerEvent): void => {
      if (event.type === 'fetched' || event.type === 'saved') {
        const of = event.type === 'saved' ? event.intent : nameOf(event);
        copies.set(`${of} ${event.path}`, { ...savedFile(event), of });
      }
      if (event.type === 'fetched') return;
      const { intent, atMs } = event;
      const job = jobs.get(intent);
      if (event.type === 'wanted') {
        // A key that was refused may be used again, for another request.
        if (job?.jobId === undefined) {
          const { atMs: wantedAtMs, ...request } = event;
          const times = { wantedAtMs, changedAtMs: atMs, unansweredAtMs: atMs };
          const none = { route: {}, saved: [], isClosed: false };
          jobs.set(intent, { ...request, ...times, ...none, state: 'sending' });
        }
        return;
      }
      const news = job && changeBy(job, event);
      if (news) jobs.set(intent, { ...job, ...news, changedAtMs: atMs });
    },
    jobs: () => [...jobs.values()],
    /** The files with results of a job, wherever they were put, by its key and by its id. */
    copies: (job: Copied): SavedFile[] => {
      const names = [job.intent, nameOf(job)];
      return [...copies.values()].filter(({ of }) => names.includes(of)).map(savedFile);
    },
  };
}

/** Stands for the key of a job that has none here; no key holds a space. */
function nameOf({ account, jobId }: Pick<Copied, 'account' | 'jobId'>): string {
  return `${account.service} ${account.keyHash} ${jobId}`;
}

/** What an event changes; undefined when it is no news. */
function changeBy(
  job: LedgerJob,
  event: Exclude<LedgerEvent, { type: 'fetched' | 'wanted' }>,
): Partial<LedgerJob> | undefined {
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
    case 'reported':
      return isEnded(job.state) && !isEnded(event.status) ? undefined : statusReported(job, event);
    case 'saved': {
      const others = job.saved.filter(({ index }) => index !== event.index);
      return { saved: [...others, savedFile(event)] };
    }
    case 'resumed':
      return { owner: event.owner };
    case 'closed':
      return { isClosed: true };
  }
}

function statusReported(job: LedgerJob, event: Reported): Partial<LedgerJob> {
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

function savedFile({ index, path, bytes, sha256 }: SavedFile): SavedFile {
  return { index, path, bytes, sha256 };
}
