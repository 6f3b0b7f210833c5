/** Extending a finished video (section 4.3): the whole film again, and what comes after it. */
import type { extendTiers } from '../../contract/enums.js';
import { ExtendPriceRequest, ExtendRequest } from '../../contract/media-extend.js';
import { json, type Call, type House } from '../call.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { claimOf } from '../idempotency.js';
import { toMicroRub } from '../money.js';
import { findJob, type Job } from '../store/media-jobs.js';
import { extensionSeconds, reel, rubPerSecond } from './engines/film.js';
import { current, retention, retentionMs } from './finish.js';
import { accepted, tookMs } from './generate.js';
import { knownFields } from './request.js';
import { begun, submit } from './submit.js';

type Tier = (typeof extendTiers)[number];

const largestSeed = 2 ** 32 - 1;

/** What an extension costs, whatever the film is: the seconds that it adds. */
function rubOf(tier: Tier): number {
  return Math.round(extensionSeconds[tier] * rubPerSecond['720p'] * 100) / 100;
}

/** POST /api/media/svc/extend/price */
export async function extendPrice(call: Call): Promise<Response> {
  const { tier } = await knownFields(call, ExtendPriceRequest);
  const breakdown = { seconds: extensionSeconds[tier], rubPerSecond: rubPerSecond['720p'] };
  return json({ ok: true, tier, priceRub: rubOf(tier), currency: 'RUB', breakdown });
}

/** POST /api/media/svc/extend */
export async function extend(call: Call): Promise<Response> {
  const { house, caller } = call;
  const { taskId, prompt, tier, seeds, watermark } = await knownFields(call, ExtendRequest);
  if (seeds !== undefined && (seeds < 0 || seeds > largestSeed)) {
    throw badRequest(`seeds must be 0 to ${largestSeed}`, 'seeds');
  }
  if (prompt === '') throw badRequest('prompt must not be empty', 'prompt');
  const order = { prompt, opts: { taskId, tier, seeds, watermark } };
  const claim = claimOf(call, 'media.extend', order);
  const known = begun(house, claim);
  if (known) return accepted(house, known);
  await finishedFilm(house, caller.accountId, taskId);
  const createdAtMs = house.clock.now();
  const job = submit(house, {
    claim,
    job: {
      id: `job_${house.newId()}`,
      accountId: caller.accountId,
      keyHash: caller.keyHash,
      origin: 'extend',
      model: reel.id,
      channel: 'standard',
      requestedModel: reel.id,
      order,
      priceMicroRub: toMicroRub(rubOf(tier)),
      createdAtMs,
      dueAtMs: createdAtMs + tookMs(house, reel),
    },
    payment: 'now',
  });
  return accepted(house, job);
}

async function finishedFilm(house: House, accountId: string, taskId: string): Promise<Job> {
  const found = findJob(house.store, accountId, taskId);
  const job = found && (await current(house, found));
  if (job?.model !== reel.id || job.origin === 'sandbox') {
    throw noFilm('task_not_found', 'taskId names no video of this account');
  }
  if (job.state !== 'success') {
    throw noFilm('task_not_finished', 'only a video that is finished can be extended');
  }
  if (job.dueAtMs + retentionMs <= house.clock.now()) {
    throw noFilm('task_expired', `${retention}; this video is gone`);
  }
  return job;
}

function noFilm(code: string, message: string): ServiceFailure {
  return new ServiceFailure(404, code, message, { param: 'taskId' });
}
