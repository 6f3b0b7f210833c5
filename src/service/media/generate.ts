/** Prices media jobs (sections 2.11 and 3.5), starts them, and extends videos (section 4.3). */
import { sandboxOutcomes, type extendTiers } from '../../contract/enums.js';
import { ExtendPriceRequest, ExtendRequest } from '../../contract/media.js';
import { json, type Call, type Reply } from '../call.js';
import { toMicroRub, toRub } from '../charge.js';
import { assertHolds, badRequest, ServiceFailure } from '../failure.js';
import { claimOf } from '../idempotency.js';
import { mediaJobs, mediaQuotes, type Job } from '../store/tables.js';
import { noteUse } from '../voices/fees.js';
import { priceOf } from './engines/model.js';
import { extensionSeconds, reel, rubPerSecond } from './engines/film.js';
import { earlierJob, current, newJob, retention, retentionMs, submit } from './jobs.js';
import { providerOf } from './models.js';
import { knownFields, makeOffer, readGenerateRequest, readQuoteRequest } from './request.js';
import { unfetchedOf, voiceOf } from './request.js';
import type { Offer } from './request.js';
import { storeInline } from './sources.js';

/** How long an expired quote is called stale instead of unknown. */
const rememberedMs = 24 * 60 * 60 * 1000;

/** POST /api/media/price: a quote for one generate call. */
export async function price(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { store, clock, settings } = app;
  const { accountId } = caller;
  const request = await readQuoteRequest(call);
  const offer = await makeOffer(app, accountId, request, 422);
  const { requestHash, priceMicroRub, variant } = offer;
  const expiresAtMs = clock.now() + settings.quoteTtlMs;
  const quote = { id: `mq_${app.newId()}`, accountId, requestHash, priceMicroRub, expiresAtMs };
  store.transaction(() => {
    store.run('DELETE FROM media_quotes WHERE expires_at_ms < ?', clock.now() - rememberedMs);
    mediaQuotes.insert(store, { ...quote, channel: variant.alias });
  });
  return json({
    ...quoted(offer, request.strict),
    quoteId: quote.id,
    expiresAt: new Date(expiresAtMs).toISOString(),
    quoteTtlSeconds: Math.round(settings.quoteTtlMs / 1000),
  });
}

/** POST /api/media/public-price: a price for anyone, not valid for a job. */
export async function publicPrice(call: Call): Promise<Reply> {
  const request = await readQuoteRequest(call);
  return json(quoted(await makeOffer(call.app, undefined, request, 404), request.strict));
}

function quoted({ price, job }: Offer, strict = false) {
  const effective = strict ? { effectiveOpts: job.effectiveOpts } : {};
  return { ok: true, ...price, currency: 'RUB', ...effective };
}

/** POST /api/media/generate: starts a job, or finds the one of the same Idempotency-Key. */
export async function generate(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { accountId } = caller;
  const request = await readGenerateRequest(call);
  const isSimulated = simulation(call);
  const claim = claimOf(call, 'media.generate', { ...request, isSimulated });
  const known = earlierJob(app, claim);
  if (known) return reply(call, known);
  const offer = await makeOffer(app, accountId, request, 422);
  const [missing] = unfetchedOf(offer.job);
  if (missing) {
    const { field: param, message } = missing;
    throw new ServiceFailure(422, 'source_not_fetched', message, { param });
  }
  const { model, variant, priceMicroRub, requestHash } = offer;
  const { priceRub } = offer.price;
  const { maxPriceRub = Infinity } = request;
  if (priceRub > maxPriceRub) {
    const message = `the job costs ${priceRub} RUB, which is more than max_price_rub: ${maxPriceRub}`;
    const fields = { priceRub, maxPriceRub };
    throw new ServiceFailure(422, 'media_max_price_exceeded', message, { fields });
  }
  const refused = `the route ${model.id}:${variant.alias} did not accept the job; nothing was charged`;
  assertHolds(variant.alias !== 'refusing', 502, 'provider_refused', refused);
  const route = { channel: variant.alias, requestedModel: request.model, priceMicroRub };
  const { prompt, webhookUrl, quoteId } = request;
  const references = isSimulated ? [] : offer.job.references;
  const { opts, undo } = await storeInline(app, accountId, request.opts, references);
  // Only the answer of a simulated job is stored.
  const facts = isSimulated
    ? ({ origin: 'sandbox', request: {} } as const)
    : ({ origin: 'generate', request: { prompt, opts }, webhookUrl } as const);
  const job = newJob(call, model, { ...route, ...facts });
  const quote = isSimulated || quoteId === undefined ? undefined : { id: quoteId, requestHash };
  let accepted: Job | undefined;
  try {
    accepted = submit(call, claim, job, { payment: isSimulated ? 'never' : 'now', quote });
  } finally {
    // Refused, or another call with the same key was faster.
    if (accepted?.id !== job.id) await undo();
  }
  const voice = voiceOf(model, offer.job);
  if (voice !== undefined && !isSimulated) noteUse(app, voice);
  return reply(call, accepted);
}

/** Whether the call requests the simulation of section 3.1, only for sandbox keys. */
function simulation({ request, app, caller }: Call): boolean {
  const name = app.brand.header('sandbox-outcome');
  const outcome = request.headers.get(name);
  if (outcome === null) return false;
  const alone = `the header ${name} is only for sandbox keys`;
  assertHolds(caller.sandbox, 400, 'sandbox_outcome_requires_sandbox_key', alone);
  if (sandboxOutcomes.some((known) => known === outcome)) return true;
  const message = `the header ${name} must be ${sandboxOutcomes.join(' or ')}`;
  throw badRequest(message, name, 'sandbox_outcome_unknown');
}

async function reply(call: Call, job: Job): Promise<Reply> {
  call.usageId = job.usageId;
  const provider = providerOf(await call.app.mediaModels(), job.model);
  const body = {
    ok: true,
    jobId: job.id,
    status: 'processing',
    model: job.model,
    provider,
    priceRub: toRub(job.priceMicroRub),
    requestedModel: job.requestedModel,
    effectiveModel: job.model,
    addressAs: `${job.model}:${job.channel}`,
    providerAlias: provider,
  };
  return json(body, 202);
}

const maxSeed = 2 ** 32 - 1;

function priceOfTier(tier: (typeof extendTiers)[number]) {
  return priceOf({ seconds: extensionSeconds[tier], rubPerSecond: rubPerSecond['720p'] });
}

export async function extendPrice(call: Call): Promise<Reply> {
  const { tier } = await knownFields(call, ExtendPriceRequest);
  const { priceRub, breakdown } = priceOfTier(tier);
  return json({ ok: true, tier, priceRub, currency: 'RUB', breakdown });
}

/** POST /api/media/svc/extend: the whole film, and its continuation. */
export async function extend(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { taskId, prompt, tier, seeds, watermark } = await knownFields(call, ExtendRequest);
  if (seeds !== undefined && (seeds < 0 || seeds > maxSeed)) {
    throw badRequest(`seeds must be 0 to ${maxSeed}`, 'seeds');
  }
  if (prompt === '') throw badRequest('prompt must not be empty', 'prompt');
  const request = { prompt, opts: { taskId, tier, seeds, watermark } };
  const claim = claimOf(call, 'media.extend', request);
  const known = earlierJob(app, claim);
  if (known) return reply(call, known);
  const task = mediaJobs.find(app.store, { id: taskId, accountId: caller.accountId });
  const film = task && (await current(app, task));
  const refusal = (code: string, message: string) =>
    new ServiceFailure(404, code, message, { param: 'taskId' });
  if (film?.model !== reel.id || film.origin === 'sandbox') {
    throw refusal('task_not_found', 'taskId is not a video of this account');
  }
  if (film.state !== 'success') {
    throw refusal('task_not_finished', 'only a finished video can be extended');
  }
  if (film.dueAtMs + retentionMs <= app.clock.now()) {
    throw refusal('task_expired', `${retention}; this video is gone`);
  }
  const priceMicroRub = toMicroRub(priceOfTier(tier).priceRub);
  const route = { channel: 'standard', requestedModel: reel.id, priceMicroRub };
  const job = newJob(call, reel, { ...route, origin: 'extend', request });
  return reply(call, submit(call, claim, job, { payment: 'now' }));
}
