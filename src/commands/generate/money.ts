/** What a job may cost: the price is asked for, shown, and sent as the ceiling of the job. */
import type { Client } from '../../api/client.js';
import type { MediaBody } from '../../api/media/body.js';
import { askPrice, measuredLengths, type Quote } from '../../api/media/quote.js';
import { ApiError, PriceTooHigh } from '../../errors.js';
import { numberOf } from '../../lib/json.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { assertBelow } from '../jobs/price.js';
import type { Ready } from './order.js';

type Terms = Pick<MediaBody, 'quote_id' | 'max_price_rub'>;

/** A price that has been shown, and what to send so that it holds. */
export interface Agreed {
  readonly quote: Quote;
  readonly priceRub: number;
  readonly terms: Terms;
}

/**
 * Asks for the price and holds it against the ceiling.
 * @param maxPriceRub what the person said that it may cost at most.
 * @throws PriceTooHigh before anything is submitted; ApiError when the service names no price.
 */
export async function agree(
  client: Client,
  ready: Ready,
  maxPriceRub: number | undefined,
): Promise<Agreed> {
  const quote = await askPrice(client, ready.body, ready.payload());
  const { priceRub, quoteId } = quote;
  // Nothing costs less than nothing.
  if (priceRub === undefined || priceRub < 0) throw noPrice();
  assertBelow(priceRub, maxPriceRub);
  return { quote, priceRub, terms: termsOf(quoteId, maxPriceRub ?? priceRub) };
}

/** The fields that hold a job to a quote and to a ceiling, as far as there are any. */
export function termsOf(quoteId: string | undefined, maxPriceRub: number | undefined): Terms {
  return {
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(maxPriceRub === undefined ? {} : { max_price_rub: maxPriceRub }),
  };
}

/** Refuses to go on at a price above the one that was shown. @throws PriceTooHigh */
export function demandNoRise(before: Agreed, after: Agreed): void {
  if (after.priceRub <= before.priceRub) return;
  throw new PriceTooHigh(
    `the price rose from ${formatRub(before.priceRub)} to ${formatRub(after.priceRub)}; nothing was submitted`,
    { code: 'price_rose', hint: 'run it again to make it at the new price' },
  );
}

function noPrice(): ApiError {
  return new ApiError('the service names no price for it', {
    status: 200,
    code: 'no_price',
    hint: 'see what is known of it: --quote --json',
  });
}

/** `12.50 RUB`, `12.50 RUB (an estimate: the length is not known)`. */
export function priceWords({ priceRub, isEstimate, estimateReason }: Quote): string {
  const amount = priceRub === undefined ? 'no price' : formatRub(priceRub);
  if (!isEstimate) return amount;
  const reason = plainText(estimateReason ?? '', 200);
  return `${amount} (an estimate${reason === '' ? '' : `: ${reason}`})`;
}

/** All that a quote tells, in rows for people. */
export function quoteRows(quote: Quote): string[][] {
  const { breakdown, seconds, quoteId, expiresAt } = quote;
  const lengths = measuredLengths.flatMap((name) => {
    const length = seconds[name];
    return length === undefined ? [] : [[lengthNames[name], `${String(length)} s`]];
  });
  const parts = Object.entries(breakdown).map(([name, value]) => [
    plainText(name, 60),
    plainText(String(numberOf(value) ?? JSON.stringify(value)), 60),
  ]);
  return [
    ['Price', priceWords(quote)],
    ...parts,
    ...lengths,
    ...(quoteId === undefined ? [] : [['Quote', plainText(quoteId, 128)]]),
    ...(expiresAt === undefined ? [] : [['Valid until', plainText(expiresAt, 60)]]),
  ];
}

const lengthNames = {
  audioSeconds: 'Measured audio',
  outputSeconds: 'Length of the result',
  sourceSeconds: 'Measured source',
} as const;
