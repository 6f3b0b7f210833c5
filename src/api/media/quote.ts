/** What a media job costs, asked before it is sent (sections 2.11 and 3.5). */
import { quotePrice, quotePublicPrice } from '../../contract/media.js';
import { ApiError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { call } from '../call.js';
import type { Client } from '../client.js';
import type { Payload } from '../prepare.js';
import type { MediaBody } from './body.js';

export interface Quote {
  /** Undefined when the service names none. */
  readonly priceRub: number | undefined;
  readonly isEstimate: boolean;
  readonly estimateReason: string | undefined;
  readonly breakdown: JsonRecord;
  /** Measured lengths by their name in the reply, in seconds. */
  readonly seconds: Readonly<Partial<Record<MeasuredLength, number>>>;
  readonly quoteId: string | undefined;
  readonly expiresAt: string | undefined;
  /** The reply as it came. */
  readonly reply: JsonRecord;
}

/** Lengths that the service measures in the sources, or works out from them. */
export const measuredLengths = ['audioSeconds', 'outputSeconds', 'sourceSeconds'] as const;
export type MeasuredLength = (typeof measuredLengths)[number];

/**
 * Asks for the price of a body: with the client's key, or the public one without a key.
 * @param payload the body as it travels.
 * @throws what `call` throws.
 */
export async function askPrice(client: Client, body: MediaBody, payload: Payload): Promise<Quote> {
  const row = client.key === undefined ? quotePublicPrice : quotePrice;
  const { data } = await call(client, row, { body }, { payload });
  const seconds: Partial<Record<MeasuredLength, number>> = {};
  for (const name of measuredLengths) {
    const length = data[name];
    if (typeof length === 'number') seconds[name] = length;
  }
  return {
    priceRub: data.priceRub ?? undefined,
    isEstimate: data.isEstimate ?? false,
    estimateReason: data.estimateReason ?? undefined,
    breakdown: data.breakdown ?? {},
    seconds,
    quoteId: data.quoteId ?? undefined,
    expiresAt: data.expiresAt ?? undefined,
    reply: data,
  };
}

/**
 * Whether a refusal means that the quote no longer holds: stale, used or moved (409, 422), or that
 * the price has risen above the ceiling that the quote set.
 */
export function isQuoteRefused(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  const words = `${error.code ?? ''} ${error.message}`;
  if (error.code === 'media_max_price_exceeded') return true;
  if (error.status === 409) return !/idempot/i.test(words);
  return error.status === 422 && /quote/i.test(words);
}
