/** GET /api/media/jobs/{id}. */
import { media as limits } from '../../contract/limits.js';
import { json, type Call, type House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { toRub } from '../money.js';
import { findJob, type Job } from '../store/media-jobs.js';
import { resultsOf } from '../store/media-results.js';
import { current, retentionMs } from './finish.js';
import { linkTo } from './links.js';
import { providerOf } from './models.js';

/** The owner's own jobs alone. */
export async function showJob(call: Call): Promise<Response> {
  const { house, caller, url } = call;
  const job = findJob(house.store, caller.accountId, call.param('id'));
  if (!job) throw new ServiceFailure(404, 'job_not_found', 'there is no such job');
  return json(await viewOf(house, await current(house, job), url.origin));
}

/**
 * A job as its owner sees it at this moment.
 * @param origin what the links begin with
 */
export async function viewOf(house: House, job: Job, origin: string) {
  const provider = providerOf(await house.media.models(), job.model);
  return {
    jobId: job.id,
    model: job.model,
    provider,
    requestedModel: job.requestedModel,
    effectiveModel: job.model,
    addressAs: `${job.model}:${job.channel}`,
    providerAlias: provider,
    createdAt: new Date(job.createdAtMs).toISOString(),
    ...stateOf(house, job, origin),
  };
}

const nothing = {
  resultUrls: [],
  resultsExpireAt: null,
  resultText: null,
  resultMeta: null,
  failMsg: null,
  errorCode: null,
  retryGuidance: null,
};

function stateOf(house: House, job: Job, origin: string) {
  if (job.origin === 'sandbox') return simulated(house, job);
  const priceRub = toRub(job.priceMicroRub);
  if (job.state === 'running') {
    return isUncertain(house, job)
      ? { ...nothing, ...uncertain, priceRub }
      : { ...nothing, status: 'processing', priceRub };
  }
  const finishedAt = new Date(job.dueAtMs).toISOString();
  if (job.state === 'fail') {
    const { failMessage: failMsg = null, errorCode = null } = job;
    // Its price was given back, or never taken.
    return {
      ...nothing,
      status: 'fail',
      priceRub: 0,
      charged: false,
      failMsg,
      errorCode,
      finishedAt,
    };
  }
  const { store } = house;
  return {
    ...nothing,
    status: 'success',
    priceRub,
    resultUrls: resultsOf(store, job.id).map(({ index }) => linkTo(store, origin, job.id, index)),
    resultsExpireAt: new Date(job.dueAtMs + retentionMs).toISOString(),
    resultText: job.resultText ?? null,
    resultMeta: job.resultMeta ?? null,
    finishedAt,
  };
}

const uncertain = {
  status: 'submitting',
  errorCode: 'media_submission_uncertain',
  retryGuidance: 'keep polling this jobId, and do not send a duplicate',
};

/** The channel `uncertain` is so for the first half of a job's time. */
function isUncertain({ clock }: House, { channel, createdAtMs, dueAtMs }: Job): boolean {
  return channel === 'uncertain' && clock.now() < (createdAtMs + dueAtMs) / 2;
}

/** A simulated submission (section 3.1), which turns out never to have started. */
function simulated({ clock }: House, job: Job) {
  const unknownUntilMs = job.createdAtMs + limits.sandboxUnknownSeconds * 1000;
  if (clock.now() < unknownUntilMs) {
    return {
      ...nothing,
      ...uncertain,
      priceRub: toRub(job.priceMicroRub),
      stage: 'submission_unknown',
    };
  }
  return {
    ...nothing,
    status: 'fail',
    priceRub: 0,
    stage: 'submission_not_started',
    charged: false,
    errorCode: 'media_submission_not_started',
    failMsg: 'the job was never started; nothing was charged',
  };
}
