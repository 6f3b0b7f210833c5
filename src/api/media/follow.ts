/** Asks how a media job stands until it has ended (sections 2.11 and 3.1). */
import type * as z from 'zod/mini';
import { getJob, type Job } from '../../contract/media.js';
import { ApiError } from '../../errors.js';
import { listOf, recordOf, textOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { redact } from '../../lib/redact.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import { poll, type Polling } from '../poll.js';

export type JobReply = z.output<typeof Job>;

/** By which way a job goes, as its acceptance and each of its states may tell (section 2.11). */
export type Route = Readonly<Partial<Record<(typeof routeFields)[number], string>>>;
const routeFields = [
  'provider',
  'requestedModel',
  'effectiveModel',
  'addressAs',
  'providerAlias',
] as const;

/** What a reply tells of the way of its job. */
export function routeOf(reply: unknown): Route {
  const fields = recordOf(reply);
  return Object.fromEntries(
    routeFields.flatMap((name) => {
      const value = textOf(fields[name]);
      return value ? [[name, value] as const] : [];
    }),
  );
}

/** Where a job stands, in the words of section 3.1. */
export interface JobStatus {
  /**
   * `submitting`, `processing`, `success`, `fail`, or a word that is new to us; `not_started` for
   * a sandbox job whose submission never ran, `unknown_job` when the service has no such job.
   */
  readonly state: string;
  /** Set while the service itself does not know whether the supplier has begun. */
  readonly isUncertain: boolean;
  /** A sandbox job's stage, as it came. */
  readonly stage: string | undefined;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly guidance: string | undefined;
  /** Nothing where nothing was charged. */
  readonly priceRub: number | undefined;
  /** Undefined when nothing is told of it. */
  readonly charged: boolean | undefined;
  readonly resultUrls: readonly string[];
  readonly expiresAtMs: number | undefined;
  /** The reply as it came. */
  readonly reply: JobReply;
}

const lastStates: ReadonlySet<string> = new Set(['success', 'fail', 'not_started', 'unknown_job']);

/** Whether nothing more will come of it. */
export function isLast({ state }: Pick<JobStatus, 'state'>): boolean {
  return lastStates.has(state);
}

export interface Following extends Pick<
  Polling<JobStatus>,
  'deadlineMs' | 'onState' | 'onTrouble' | 'pending'
> {
  readonly jobId: string;
}

/** One question must not use up the patience for the job, nor outlast it by more than a moment. */
const askMs = 30_000;
const lastLookMs = 1000;

/**
 * The last state of a job. A network that fails or a service that is down is waited out.
 * @throws Pending at the deadline, ApiError when the job is not known or the key is not.
 */
export async function followJob(client: Client, following: Following): Promise<JobStatus> {
  const { jobId, deadlineMs, onState, onTrouble, pending } = following;
  return poll({
    clock: client.clock,
    signal: client.signal,
    ask: (remainingMs) => {
      const limitMs = Math.min(askMs, Math.max(remainingMs, lastLookMs));
      return askJob({ ...client, deadlineMs: limitMs }, jobId);
    },
    isDone: isLast,
    onState,
    onTrouble,
    deadlineMs,
    pending,
  });
}

/** How a job stands now. @throws what `call` throws; 404 when it is not one of this key's. */
export async function askJob(client: Client, jobId: string): Promise<JobStatus> {
  const { data } = await call(client, getJob, { params: { id: jobId } });
  return statusFrom(data);
}

/** Whether an error says that the service has no such job. */
export function isUnknownJob(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Reads a reply; what it does not tell is undefined. */
export function statusFrom(reply: JobReply): JobStatus {
  const stage = reply.stage ?? undefined;
  const code = text(reply.errorCode);
  const expiresAtMs = Date.parse(reply.resultsExpireAt ?? '');
  const state = stateOf(reply);
  const isFree = reply.charged === false || state === 'not_started';
  return {
    state,
    isUncertain:
      reply.status === 'submitting' ||
      stage === 'submission_unknown' ||
      code === 'media_submission_uncertain',
    stage,
    code,
    message: text(reply.failMsg),
    guidance: text(reply.retryGuidance),
    priceRub: isFree ? 0 : (reply.priceRub ?? undefined),
    charged: reply.charged ?? undefined,
    resultUrls: listOf(reply.resultUrls).filter((url) => typeof url === 'string'),
    expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs,
    reply,
  };
}

/** Section 3.1: a sandbox job's stage says more than its status, which may be missing. */
function stateOf({ stage, status }: JobReply): string {
  if (stage === 'submission_not_started') return 'not_started';
  if (stage === 'submission_unknown') return 'submitting';
  // Without a word it is not known to have ended.
  return status ?? 'processing';
}

function text(value: string | null | undefined): string | undefined {
  return plainText(redact(value ?? '')) || undefined;
}
