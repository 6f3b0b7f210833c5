/** POST /api/media/generate. */
import { sandboxOutcomes } from '../../contract/enums.js';
import { json, type Call, type House } from '../call.js';
import { recordHeader } from '../charge.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { claimOf } from '../idempotency.js';
import { toRub } from '../money.js';
import type { Job } from '../store/media-jobs.js';
import { noteUse } from '../voices/use.js';
import type { MediaModel } from './engines/types.js';
import { providerOf, resolveMedia } from './models.js';
import { demandSources, makeOffer, voiceOf, type Offer } from './offer.js';
import { readGenerateRequest, type GenerateWish } from './request.js';
import { keepInline, type Kept } from './sources.js';
import { begun, submit } from './submit.js';

/** Starts a job, or answers as it did when the same Idempotency-Key started it. */
export async function generate(call: Call): Promise<Response> {
  const { house, caller } = call;
  const wish = await readGenerateRequest(call);
  const isSimulated = simulation(call);
  const claim = claimOf(call, 'media.generate', { ...wish, isSimulated });
  const known = begun(house, claim);
  if (known) return accepted(house, known);
  const resolved = await resolveMedia(house, wish.model, 422);
  const offer = await makeOffer(house, caller.accountId, wish, resolved);
  demandSources(offer);
  demandCeiling(offer, wish);
  if (offer.channel.alias === 'refusing') throw notAccepted(offer);
  const inline = isSimulated ? [] : offer.job.references;
  const kept = await keepInline(house, caller.accountId, wish.opts, inline);
  const createdAtMs = house.clock.now();
  const job = {
    id: `job_${house.newId()}`,
    accountId: caller.accountId,
    keyHash: caller.keyHash,
    origin: isSimulated ? ('sandbox' as const) : ('generate' as const),
    model: offer.model.id,
    channel: offer.channel.alias,
    requestedModel: wish.model,
    // Of a simulated job no more is kept than what answers for it.
    order: isSimulated ? {} : { prompt: wish.prompt, opts: kept.opts },
    priceMicroRub: offer.priceMicroRub,
    webhookUrl: isSimulated ? undefined : wish.webhookUrl,
    createdAtMs,
    dueAtMs: createdAtMs + tookMs(house, offer.model),
  };
  const quote = isSimulated ? undefined : quoteOf(wish, offer);
  const taken = await orUndo(kept, () =>
    submit(house, { claim, job, payment: isSimulated ? 'never' : 'now', quote }),
  );
  // Another call with the same key was faster.
  if (taken.id !== job.id) await kept.undo();
  const voice = voiceOf(offer);
  if (voice !== undefined && !isSimulated) noteUse(house, voice);
  return accepted(house, taken);
}

function quoteOf({ quoteId }: GenerateWish, { orderHash }: Offer) {
  return quoteId === undefined ? undefined : { id: quoteId, orderHash };
}

async function orUndo(kept: Kept, work: () => Job): Promise<Job> {
  try {
    return work();
  } catch (error) {
    await kept.undo();
    throw error;
  }
}

/** How long a job of a model takes on the service's clock. */
export function tookMs({ media }: House, model: MediaModel): number {
  return media.jobTimeMs ?? model.defaultTookMs;
}

/** Whether the call asks for the simulation of section 3.1, which only sandbox keys may. */
function simulation({ request, house, caller }: Call): boolean {
  const name = house.brand.header('sandbox-outcome');
  const outcome = request.headers.get(name);
  if (outcome === null) return false;
  if (!caller.sandbox) {
    throw new ServiceFailure(
      400,
      'sandbox_outcome_requires_sandbox_key',
      `the header ${name} is for sandbox keys alone`,
    );
  }
  if (!sandboxOutcomes.some((known) => known === outcome)) {
    throw badRequest(
      `the header ${name} must be ${sandboxOutcomes.join(' or ')}`,
      name,
      'sandbox_outcome_unknown',
    );
  }
  return true;
}

function demandCeiling({ price }: Offer, { maxPriceRub }: GenerateWish): void {
  if (maxPriceRub === undefined || price.priceRub <= maxPriceRub) return;
  throw new ServiceFailure(
    422,
    'media_max_price_exceeded',
    `the job costs ${price.priceRub} RUB, which is more than max_price_rub: ${maxPriceRub}`,
    { fields: { priceRub: price.priceRub, maxPriceRub } },
  );
}

function notAccepted({ model, channel }: Offer): ServiceFailure {
  return new ServiceFailure(
    502,
    'provider_refused',
    `the route ${model.id}:${channel.alias} did not accept the job; nothing was charged`,
  );
}

/** The 202 of a job; a repeated call gets the same again. */
export async function accepted(house: House, job: Job): Promise<Response> {
  const provider = providerOf(await house.media.models(), job.model);
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
  return json(body, 202, recordHeader(house, job.usageId));
}
