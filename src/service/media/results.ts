/** Jobs and their results as their owners see them (sections 2.11 and 5). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { media as limits } from '../../contract/limits.js';
import { json, type Call, type App, type Reply } from '../call.js';
import { assertHolds } from '../failure.js';
import { fileReply } from '../file-reply.js';
import { toRub } from '../charge.js';
import { secretOf } from '../store/accounts.js';
import type { Sql } from '../../lib/sql.js';
import { mediaJobs, mediaResults, type Job, type Result } from '../store/tables.js';
import { nameOf, openResult } from './job-files.js';
import { current, retention, retentionMs } from './jobs.js';
import { providerOf } from './models.js';

/** GET /api/media/jobs/{id}: only the owner's jobs. */
export async function showJob(call: Call): Promise<Reply> {
  const { app, caller, url } = call;
  const job = mediaJobs.find(app.store, { id: call.param('id'), accountId: caller.accountId });
  assertHolds(job, 404, 'job_not_found', 'there is no such job');
  return json(await viewOf(app, await current(app, job), url.origin));
}

export async function viewOf(app: App, job: Job, origin: string) {
  const provider = providerOf(await app.mediaModels(), job.model);
  return {
    jobId: job.id,
    model: job.model,
    provider,
    requestedModel: job.requestedModel,
    effectiveModel: job.model,
    addressAs: `${job.model}:${job.channel}`,
    providerAlias: provider,
    createdAt: new Date(job.createdAtMs).toISOString(),
    ...{ resultUrls: [], resultsExpireAt: null, resultText: null, resultMeta: null },
    ...{ failMsg: null, errorCode: null, retryGuidance: null },
    ...stateOf(app, job, origin),
  };
}

function stateOf({ store, clock }: App, job: Job, origin: string) {
  const { createdAtMs, dueAtMs, failMessage: failMsg = null, errorCode = null } = job;
  const priceRub = toRub(job.priceMicroRub);
  const uncertain = {
    status: 'submitting',
    priceRub,
    errorCode: 'media_submission_uncertain',
    retryGuidance: 'keep polling this jobId, and do not send a duplicate',
  };
  // A failed job was refunded, or never charged.
  const failed = { status: 'fail', priceRub: 0, charged: false };
  if (job.origin === 'sandbox') {
    // A simulated submission (section 3.1) never starts.
    const unknownUntilMs = createdAtMs + limits.sandboxUnknownSeconds * 1000;
    if (clock.now() < unknownUntilMs) return { ...uncertain, stage: 'submission_unknown' };
    return {
      ...failed,
      stage: 'submission_not_started',
      errorCode: 'media_submission_not_started',
      failMsg: 'the job was never started; nothing was charged',
    };
  }
  if (job.state === 'running') {
    const isUncertain = job.channel === 'uncertain' && clock.now() < (createdAtMs + dueAtMs) / 2;
    return isUncertain ? uncertain : { status: 'processing', priceRub };
  }
  const finishedAt = new Date(dueAtMs).toISOString();
  if (job.state === 'fail') return { ...failed, failMsg, errorCode, finishedAt };
  return {
    status: 'success',
    priceRub,
    resultUrls: linksTo(store, origin, resultsOf(store, job.id)),
    resultsExpireAt: new Date(dueAtMs + retentionMs).toISOString(),
    resultText: job.resultText ?? null,
    resultMeta: job.resultMeta ?? null,
    finishedAt,
  };
}

export function resultsOf(store: Sql, jobId: string): Result[] {
  return mediaResults.all(store, { jobId }, 'ORDER BY "index"');
}

/** Links below the origin of the request; they need no key. */
export function linksTo(store: Sql, origin: string, results: readonly Result[]): string[] {
  return results.map(({ jobId, index }) => {
    return `${origin}/api/media/file/${jobId}/${index}?sig=${signature(store, jobId, index)}`;
  });
}

function signature(store: Sql, jobId: string, index: number): string {
  const mac = createHmac('sha256', Buffer.from(secretOf(store, 'media_links'), 'base64'));
  return mac.update(`${jobId}/${index}`).digest('base64url');
}

/** GET /api/media/file/{id}/{idx}: the bytes of a result, complete or in part. */
export async function resultFile(call: Call): Promise<Reply> {
  const { app, request, url } = call;
  const { store, clock } = app;
  const index = /^(0|[1-9]\d{0,5})$/.test(call.param('idx')) ? Number(call.param('idx')) : NaN;
  const job = mediaJobs.find(store, { id: call.param('id') });
  const expected = job && Buffer.from(signature(store, job.id, index));
  const actual = Buffer.from(url.searchParams.get('sig') ?? '');
  const isSigned = expected?.length === actual.length && timingSafeEqual(actual, expected);
  if (job && isSigned) await current(app, job);
  const result = job && isSigned && mediaResults.find(store, { jobId: job.id, index });
  const unknown = 'there is no such result, or its link is wrong';
  assertHolds(job && result, 404, 'result_not_found', unknown);
  const isKept = result.expiresAtMs > clock.now();
  assertHolds(isKept, 410, 'result_expired', `${retention}; this one is gone`);
  const opened = await openResult(app, job, result);
  const disposition = url.searchParams.get('download') === '1' ? 'attachment' : 'inline';
  return fileReply(opened, request.headers, {
    'content-type': result.mediaType,
    'content-disposition': `${disposition}; filename="${nameOf(result)}"`,
  });
}
