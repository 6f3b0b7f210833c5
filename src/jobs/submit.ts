/** Submits a media job: it is on disk before it is sent, and can be sent again with its key. */
import { text } from 'node:stream/consumers';
import { listImageJobs, type ImageJobList } from '../api/images.js';
import { submit } from '../api/media/submit.js';
import type { Payload } from '../api/prepare.js';
import * as limits from '../contract/limits.js';
import { JobFailed, LocalFileError, OutcomeUnknown, Pending, SvcError } from '../errors.js';
import { stateOf } from '../files/owner.js';
import { fileBody } from '../http/request-body.js';
import type { StreamedBody } from '../http/types.js';
import { formatRub } from '../lib/amounts.js';
import { formatAge } from '../lib/duration.js';
import { dayMs } from '../lib/moment.js';
import { inParallel } from '../lib/parallel.js';
import { plainText } from '../lib/plain-text.js';
import { isUnfinished, type LedgerJob } from '../state/ledger-job.js';
import { maxEventBodyBytes } from '../state/request-bodies.js';
import type { TimeBudget } from './follow.js';
import { append, noteAccepted, noteFailure, progressWriter } from './job.js';
import type { Job, JobEnv, OwnJob } from './job.js';
import { hadNoEffect, type Candidates, type UnknownOutcome } from './once.js';

type StoredRequest = Pick<
  LedgerJob,
  'intent' | 'model' | 'headers' | 'quotedRub' | 'body' | 'keptBody'
>;

export async function submitJob(
  env: JobEnv,
  request: Omit<StoredRequest, 'body' | 'keptBody'> & Pick<LedgerJob, 'hash'>,
  { body }: { readonly body: string | StreamedBody },
): Promise<OwnJob> {
  const { account, owner, output, ledger } = env;
  const [content, bytes] =
    typeof body === 'string' ? [body, Buffer.byteLength(body)] : [body.open(), body.length];
  const stored =
    bytes > maxEventBodyBytes
      ? { keptBody: await ledger.bodies.keep(content) }
      : { body: typeof content === 'string' ? content : await text(content) };
  const written = { ...request, ...stored };
  append(env, { type: 'wanted', kind: 'generate', account, owner, output, ...written });
  return sendWritten(env, written);
}

export async function resubmit(env: JobEnv, job: LedgerJob): Promise<OwnJob> {
  const { quotedRub } = job;
  const price =
    quotedRub === undefined ? '' : ` (${formatRub(quotedRub, env.context.out.language)})`;
  progressWriter(env.context)(
    `sending the request for ${job.model}${price} again with the same key`,
  );
  const wasSentJustNow = env.context.clock.now() - job.unansweredAtMs < processingMs;
  return sendWritten(env, job, { isResend: true, wasSentJustNow });
}

/** What is sent is what was recorded, byte for byte. */
async function sendWritten(
  env: JobEnv,
  job: StoredRequest,
  again: { readonly isResend?: boolean; readonly wasSentJustNow?: boolean } = {},
): Promise<OwnJob> {
  const { intent, headers, keptBody } = job;
  const payload = payloadOf(env, job);
  const submitted = await submit(env.client, { key: intent, headers, payload, ...again });
  if (submitted.outcome === 'accepted') {
    const made = noteAccepted(env, job, submitted.job);
    if (keptBody) env.ledger.bodies.drop(keptBody);
    return made;
  }
  // That a later attempt was not sent says nothing about those before it.
  if (submitted.outcome !== 'not_sent' || !again.isResend) {
    noteFailure(env, intent, submitted);
    if (keptBody && submitted.outcome !== 'uncertain') env.ledger.bodies.drop(keptBody);
  }
  throw submitted.error;
}

function payloadOf({ ledger }: JobEnv, { body, keptBody, model }: StoredRequest): Payload {
  const contentType = 'application/json';
  if (body !== undefined) return { contentType, body };
  if (keptBody && ledger.bodies.isWhole(keptBody)) {
    return { contentType, body: fileBody(ledger.bodies.pathOf(keptBody), keptBody.bytes) };
  }
  throw new LocalFileError(`the stored request for ${model} is missing or damaged`, {
    code: 'request_lost',
    hint: 'see whether it was charged: `svc usage list`',
  });
}

/** A job whose outcome is still unknown, and why. */
export interface Unreconciled {
  readonly job: LedgerJob;
  readonly error: SvcError;
}

/** A request that was sent less than this ago may still be processed. */
const processingMs = 60_000;
/** After this long a service may have forgotten a key: the request could be paid for twice. */
const keyMaxAgeMs = dayMs;
const atOnce = 4;

/** Finds the outcome of jobs that no process is using. @returns those still unknown */
export async function reconcile(
  env: JobEnv,
  jobs: readonly LedgerJob[] = env.ledger.jobsInProgress(env.account),
  budget: TimeBudget = (work) => work(env),
): Promise<Unreconciled[]> {
  const unreconciled = await inParallel(jobs, atOnce, async (job) => {
    if (!(await mayBeReconciled(job))) return undefined;
    try {
      await budget((hurried) => reconcileOne(hurried, job));
      return undefined;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { job, error };
    }
  });
  return unreconciled.filter((one) => one !== undefined);
}

async function reconcileOne(env: JobEnv, job: LedgerJob): Promise<unknown> {
  if (job.kind === 'image') {
    // Only the same command requests it again, because it knows the destination.
    const candidates = await findLostImage(env, job);
    if (hadNoEffect(env, candidates, job)) {
      throw new JobFailed('the service has no such image', { code: 'not_listed' });
    }
    const isListed = typeof candidates === 'object';
    const message = isListed ? candidates.words : 'the service does not list it yet';
    const hint = 'run the same command again, or check `svc image list`';
    throw new OutcomeUnknown(message, { code: 'image_unknown', hint });
  }
  const ageMs = env.context.clock.now() - job.wantedAtMs;
  if (ageMs <= keyMaxAgeMs) return resubmit(env, job);
  const about = `a request for ${job.model} (${formatAge(ageMs)} ago)`;
  throw new OutcomeUnknown(`${about} got no answer and is not sent again automatically`, {
    code: 'too_old',
    hint: `send it again, and pay for it unless it was accepted then: \`svc jobs resume ${job.intent}\``,
  });
}

export async function mayBeReconciled(job: LedgerJob): Promise<boolean> {
  if (job.kind === 'extend' || !isUnfinished(job)) return false;
  return job.state === 'uncertain' || (await stateOf(job.owner)) !== 'running';
}

/** The job with its id, if that has become known; otherwise `error` says why not. */
export function reconciledJob({ ledger }: JobEnv, job: Job, failed: readonly Unreconciled[]): Job {
  const { intent, ledger: before } = job;
  if (!before || before.jobId !== undefined) return job;
  const why = failed.find((one) => one.job.intent === intent);
  if (why) return { ...job, error: why.error };
  const jobId = ledger.job(intent)?.jobId;
  if (jobId !== undefined) return { ...job, jobId };
  const message = `the job for ${before.model} is still being submitted`;
  const hint = 'another svc process is submitting it: `svc jobs list`';
  return { ...job, error: new Pending(message, { hint }) };
}

/** A request is at the service within this time, its waits for a busy one included. */
const arrivalMs = 60_000;
/** The list has whole seconds, and two clocks differ by what an answer takes. */
const slackMs = 2000;

/** The candidates for a lost image: model and time prove nothing, so none is used. */
export async function findLostImage(
  { client, ledger, account }: JobEnv,
  lost: UnknownOutcome,
): Promise<Candidates> {
  const { jobs, aheadMs } = await listImageJobs(client, limits.images.list.max);
  const sinceSentMs = (created: number) => created * 1000 - aheadMs - lost.wantedAtMs;
  const fits = ({ id: jobId, model, created }: ImageJobList['jobs'][number]) => {
    // A model is listed under its public id, whatever name it was asked for by.
    if (typeof model === 'string' && bareName(model) !== bareName(lost.model)) return false;
    const sinceMs = typeof created === 'number' ? sinceSentMs(created) : 0;
    if (sinceMs < -slackMs || sinceMs > arrivalMs + slackMs) return false;
    const isOwned = ledger.jobsOfId(jobId).length > 0;
    return !isOwned && ledger.copies({ jobId, account }).length === 0;
  };
  const ids = jobs.filter(fits).map(({ id }) => plainText(id, 60));
  const how = 'the service does not say which: `svc jobs download ID`';
  if (ids.length > 0) return { words: `it may be ${ids.join(', ')} (${how})` };
  // Whether the list shows all that were made since it was sent.
  const oldest = jobs.at(-1)?.created;
  const isWhole = jobs.length < limits.images.list.max;
  const isBefore = typeof oldest === 'number' && sinceSentMs(oldest) < -slackMs;
  return isWhole || isBefore ? 'none' : undefined;
}

const bareName = (id: string) =>
  id
    .replace(/:[^/:]*$/, '')
    .split('/')
    .at(-1);
