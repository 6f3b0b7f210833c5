/** Price quotes (sections 2.11 and 3.5). */
import { json, type Call } from '../call.js';
import { addQuote } from '../store/media-quotes.js';
import { resolveMedia } from './models.js';
import { makeOffer, type Offer } from './offer.js';
import { readQuoteRequest } from './request.js';

/** POST /api/media/price: a quote that one generate call can be made at. */
export async function price(call: Call): Promise<Response> {
  const { house, caller } = call;
  const wish = await readQuoteRequest(call);
  const resolved = await resolveMedia(house, wish.model, 422);
  const offer = await makeOffer(house, caller.accountId, wish, resolved);
  const { quoteTtlMs } = house.media;
  const nowMs = house.clock.now();
  const quote = {
    id: `mq_${house.newId()}`,
    accountId: caller.accountId,
    orderHash: offer.orderHash,
    channel: offer.channel.alias,
    priceMicroRub: offer.priceMicroRub,
    expiresAtMs: nowMs + quoteTtlMs,
  };
  addQuote(house.store, quote, nowMs);
  return json({
    ...quoted(offer, wish.strict),
    quoteId: quote.id,
    expiresAt: new Date(quote.expiresAtMs).toISOString(),
    quoteTtlSeconds: Math.round(quoteTtlMs / 1000),
  });
}

/** POST /api/media/public-price: a price for anyone, which no job can be made at. */
export async function publicPrice(call: Call): Promise<Response> {
  const wish = await readQuoteRequest(call);
  const resolved = await resolveMedia(call.house, wish.model, 404);
  return json(quoted(await makeOffer(call.house, undefined, wish, resolved), wish.strict));
}

function quoted({ price, job }: Offer, strict: boolean) {
  return {
    ok: true,
    ...price,
    currency: 'RUB',
    ...(strict ? { effectiveOpts: job.effectiveOpts } : {}),
  };
}
