/** Accepts media jobs. The first call after a job's time ends it, in one transaction. */
import { media as limits } from '../../contract/limits.js';
import { codeOf } from '../../lib/error-code.js';
import type { Call, App } from '../call.js';
import { charge, jobUsage, tooLittle } from '../charge.js';
import { assertHolds, messageOf, ServiceFailure } from '../failure.js';
import { earlierResult, once, type Claim } from '../idempotency.js';
import { balanceMicroRub } from '../store/accounts.js';
import { accounts, mediaJobs, mediaQuotes, mediaResults, notifications } from '../store/tables.js';
import type { Job } from '../store/tables.js';
import { debit, giveBack } from '../store/usage.js';
import type { MediaModel, MediaResult } from './engines/model.js';
import { run } from './job-files.js';

export const retentionMs = limits.resultRetentionDays * 24 * 60 * 60 * 1000;
export const retention = `results are kept for ${limits.resultRetentionDays} days`;

export function newJob(
  { app, caller: { accountId, keyHash } }: Call,
  model: MediaModel,
  facts: Pick<
    Job,
    'origin' | 'channel' | 'requestedModel' | 'request' | 'priceMicroRub' | 'webhookUrl'
  >,
) {
  const createdAtMs = app.clock.now();
  const dueAtMs = createdAtMs + (app.settings.jobTimeMs ?? model.defaultTookMs);
  const id = `job_${app.newId()}`;
  return { ...facts, id, accountId, keyHash, model: model.id, createdAtMs, dueAtMs };
}

type NewJob = ReturnType<typeof newJob>;

interface Terms {
  /** `atEnd` is charged on success. */
  readonly payment: 'now' | 'atEnd' | 'never';
  /** The quote that it uses, and the hash of what it is for. */
  readonly quote?: { readonly id: string; readonly requestHash: string };
}

/** Accepts a job, or finds the one of the same key. */
export function submit(call: Call, claim: Claim, job: NewJob, { payment, quote }: Terms): Job {
  const { app } = call;
  const { accountId, channel, priceMicroRub } = job;
  const id = once(app, claim, () => {
    if (quote) useQuote(app, job, quote);
    const usage = payment === 'now' ? jobUsage(app, job, job.createdAtMs) : undefined;
    if (usage) charge(call, usage, 'job');
    const balance = payment === 'atEnd' ? balanceMicroRub(app.store, accountId) : Infinity;
    if (balance < priceMicroRub) throw tooLittle(balance, priceMicroRub, 'job');
    const movesMoney = payment === 'atEnd' || channel === 'failing';
    mediaJobs.insert(app.store, { ...job, usageId: usage?.id, movesMoney, state: 'running' });
    return job.id;
  });
  return jobNamed(app, claim, id);
}

export function earlierJob(app: App, claim: Claim): Job | undefined {
  const id = earlierResult(app, claim);
  return id === undefined ? undefined : jobNamed(app, claim, id);
}

function jobNamed({ store }: App, { accountId }: Claim, id: string): Job {
  const job = mediaJobs.find(store, { id, accountId });
  if (!job) throw new Error(`the job ${id} does not exist`);
  return job;
}

function useQuote(
  { store, clock }: App,
  { id: jobId, accountId, channel, priceMicroRub }: NewJob,
  { id, requestHash }: { id: string; requestHash: string },
): void {
  const quote = mediaQuotes.find(store, { id, accountId });
  assertHolds(quote, 422, 'quote_unknown', 'this account has no such quote');
  assertHolds(quote.jobId === undefined, 409, 'quote_used', 'this quote was used by another job');
  const isFresh = quote.expiresAtMs > clock.now();
  assertHolds(isFresh, 409, 'quote_stale', 'this quote has expired: ask for a new one');
  const other = 'this quote is for another model, prompt or options';
  assertHolds(quote.requestHash === requestHash, 422, 'quote_mismatch', other);
  const isSame = quote.channel === channel && quote.priceMicroRub === priceMicroRub;
  const moved = 'the route or its price has changed since the quote: ask for a new quote';
  assertHolds(isSame, 409, 'quote_moved', moved);
  mediaQuotes.update(store, { id }, { jobId });
}

export async function current(app: App, job: Job): Promise<Job> {
  if (job.state !== 'running' || job.origin === 'sandbox') return job;
  if (app.clock.now() < job.dueAtMs) return job;
  const outcome = await outcomeOf(app, job);
  app.store.transaction(() => writeEnd(app, job.id, outcome));
  return mediaJobs.find(app.store, { id: job.id }) ?? job;
}

/** Ends up to a hundred jobs whose time is over, or an account's jobs whose end moves money. */
export async function endDueJobs(app: App, accountId?: string): Promise<void> {
  const which = accountId === undefined ? "origin <> 'sandbox'" : 'moves_money = 1';
  const isDue = `AND state = 'running' AND ${which} AND due_at_ms <= ? ORDER BY due_at_ms, seq LIMIT ?`;
  const [whose, most] = accountId === undefined ? [{}, 100] : [{ accountId }, -1];
  const due = mediaJobs.all(app.store, whose, isDue, app.clock.now(), most);
  // A job that cannot be ended now blocks neither the others nor the caller.
  for (const job of due) await current(app, job).catch(() => job);
}

interface Outcome {
  readonly end: Pick<Job, 'state' | 'errorCode' | 'failMessage' | 'resultText' | 'resultMeta'>;
  readonly files: MediaResult['files'];
}

function failed(errorCode: string, failMessage: string): Outcome {
  return { end: { state: 'fail', errorCode, failMessage }, files: [] };
}

async function outcomeOf(app: App, job: Job): Promise<Outcome> {
  if (job.channel !== 'standard' && job.channel !== 'uncertain') {
    return failed('provider_failed', `the route ${job.model}:${job.channel} always fails`);
  }
  try {
    return await run(app, job, ({ files, resultText, resultMeta }) => ({
      end: { state: 'success', resultText, resultMeta },
      files,
    }));
  } catch (error) {
    if (error instanceof ServiceFailure) return failed(error.code, error.message);
    // A full disk or a busy store does not decide the job: the next call tries again.
    if (/^(E(?!RR_)|SQLITE_)/.test(codeOf(error) ?? '')) throw error;
    return failed('model_failed', `${job.model} failed: ${messageOf(error)}`);
  }
}

/** Records an end and its consequences, unless another process was faster. */
function writeEnd(app: App, id: string, outcome: Outcome): void {
  const { store, newId } = app;
  const job = mediaJobs.find(store, { id });
  if (job?.state !== 'running') return;
  const { accountId, dueAtMs } = job;
  const { end, usageId } = movePrice(app, job, outcome.end);
  mediaJobs.update(store, { id }, { ...end, usageId });
  const files = end.state === 'success' ? outcome.files : [];
  for (const [index, { mediaType, ext }] of files.entries()) {
    const expiresAtMs = dueAtMs + retentionMs;
    mediaResults.insert(store, { jobId: id, index, mediaType, ext, expiresAtMs });
  }
  const url = job.webhookUrl ?? accounts.find(store, { id: accountId })?.mediaWebhookUrl;
  if (url === undefined || job.origin === 'image') return;
  const notification = { id: `msg_${newId()}`, jobId: id, url, attempts: 0 };
  notifications.insert(store, { ...notification, nextAttemptAtMs: dueAtMs });
}

/** A failed job is refunded; a synchronous image is charged now, if there is one. */
function movePrice(app: App, job: Job, end: Outcome['end']) {
  const { store, newId } = app;
  const { usageId, origin, dueAtMs } = job;
  if (end.state === 'fail' && usageId !== undefined) {
    giveBack(store, job, usageId, { id: `gen_${newId()}`, createdAtMs: dueAtMs });
  }
  if (end.state === 'fail' || origin !== 'image') return { end, usageId };
  const usage = jobUsage(app, job, dueAtMs);
  if (debit(store, job, usage)) return { end, usageId: usage.id };
  const message = 'the balance was too low when the image was finished';
  return { end: failed('insufficient_balance', message).end };
}
