/** What speech and transcription have in common: their model, its check and its price. */
import type { Call } from '../call.js';
import { charge, jobUsage, recordHeader } from '../charge.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { once, type Claim } from '../idempotency.js';
import type { Job, MediaModel, MediaOrder } from '../media/engines/types.js';
import type { ResolvedMedia } from '../media/models.js';
import { toMicroRub } from '../money.js';
import { resolveSync } from '../resolve.js';

/**
 * The model by the name of a request, which must be the one that does this work.
 * @throws ServiceFailure 400 for another model, 404 for none; 502 or 503 where its channel fails
 */
export async function routeTo(
  { house }: Call,
  name: string,
  model: Pick<MediaModel, 'id'>,
  does: string,
): Promise<ResolvedMedia> {
  const found = await resolveSync(house, name, model, does, 'model_unsuitable');
  const { channel } = found;
  if (channel.alias === 'failing' || channel.alias === 'refusing') {
    throw new ServiceFailure(
      502,
      'provider_failed',
      `the route ${model.id}:${channel.alias} failed, as it always does; nothing was charged`,
    );
  }
  return found;
}

/**
 * The order as a job of the model.
 * @param names what the request calls the fields that the model calls otherwise
 * @throws ServiceFailure 400 that names the field at fault
 */
export function jobOf(
  { model }: ResolvedMedia,
  order: MediaOrder,
  names: Readonly<Record<string, string>>,
): Job {
  const { job, violations } = model.check(order);
  if (job) return job;
  const [first] = violations;
  const field = first?.field ?? '';
  const name = names[field] ?? field;
  const message = first?.message.replace(field, name) ?? 'the request does not fit the model';
  throw badRequest(message, name);
}

/**
 * Takes the price, but for a call that an earlier one has paid.
 * @returns the header that names the record
 */
export function pay(call: Call, claim: Claim, { model, channel }: ResolvedMedia, priceRub: number) {
  const { house } = call;
  const facts = { model: model.id, channel: channel.alias, priceMicroRub: toMicroRub(priceRub) };
  const usage = jobUsage(house, facts, house.clock.now());
  const paid = once(house, claim, () => {
    charge(call, usage);
    return usage.id;
  });
  return recordHeader(house, paid);
}
