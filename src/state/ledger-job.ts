/** The events of a job, and what they add up to. */
import * as z from 'zod/mini';
import { Owner } from '../files/owner.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { Account } from './account.js';
import { KeptBody } from './request-bodies.js';

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

const Route = z.record(z.string(), z.string());
const route = z.optional(Route);
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

export const LedgerEvent = z.discriminatedUnion('type', [
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

/** A result on this disk. */
export const SavedFile = z.object(file);
export type SavedFile = Readonly<z.output<typeof SavedFile>>;

/** What is known of a job: the sum of its events, kept as one row. */
export const LedgerJob = z.extend(z.omit(Wanted, { type: true, atMs: true }), {
  ...facts,
  /** When its request was first, or after a refusal last, written down (epoch, ms, as all times). */
  wantedAtMs: z.number(),
  /** When the last event that changed it happened. */
  changedAtMs: z.number(),
  /** When a request last went out, as far as is known, that was not answered. */
  unansweredAtMs: z.number(),
  /** `sending`, `uncertain`, `refused`, `not_sent`; once accepted, what was `reported`. */
  state: z.string(),
  /** The id at the service; a job without one may not exist there. */
  jobId: text,
  acceptedAtMs: number,
  /** When svc first learned that it had ended. */
  finishedAtMs: number,
  /** From its acceptance to its end, where svc saw both. */
  tookMs: number,
  /** Of a small request, cut to one line. */
  prompt: text,
  /** Where the service ran it, in the service's own words. */
  route: Route,
  /** The newest file of each result. */
  saved: z.array(SavedFile),
  /** Whether no later run resumes it. */
  isClosed: z.boolean(),
});
export type LedgerJob = Readonly<z.output<typeof LedgerJob>>;

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

/** The ledger's word for results that the service no longer keeps. */
export const goneCode = 'results_expired';

/** Whether it has results to download. @param isHere whether those that were saved still exist. */
export function isUnsaved({ jobId, state, code, ...job }: LedgerJob, isHere = true): boolean {
  if (jobId === undefined || state !== 'success' || code === goneCode) return false;
  return job.saved.length < (job.results ?? 1) || !isHere;
}

/**
 * The job after one more event, or undefined where that changes nothing. Events come from several
 * processes in any order: an id wins over all else.
 */
export function jobAfter(
  job: LedgerJob | undefined,
  event: Exclude<LedgerEvent, { type: 'fetched' }>,
): LedgerJob | undefined {
  if (event.type !== 'wanted') {
    const news = job && changeBy(job, event);
    return news && { ...job, ...news, changedAtMs: event.atMs };
  }
  // A key that was refused may be used again, for another request.
  if (job?.jobId !== undefined) return undefined;
  const { atMs } = event;
  const prompt = textOf(recordOf(parsedJson(event.body ?? ''))['prompt']) ?? '';
  return {
    ...{ ...event, type: undefined, atMs: undefined },
    prompt: plainText(prompt, 200),
    wantedAtMs: atMs,
    changedAtMs: atMs,
    unansweredAtMs: atMs,
    state: 'sending',
    route: {},
    saved: [],
    isClosed: false,
  };
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

export function savedFile({ index, path, bytes, sha256 }: SavedFile): SavedFile {
  return { index, path, bytes, sha256 };
}
