/** What a job may cost: held against --max-price before it is sent, and against what was agreed after. */
import { PriceTooHigh } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { tellId, type Begun } from './finish.js';
import { comeBack } from './watch.js';
import type { JobWorld } from './world.js';

/** @throws PriceTooHigh before anything is submitted. */
export function assertBelow(priceRub: number, maxPriceRub: number | undefined): void {
  if (maxPriceRub === undefined || priceRub <= maxPriceRub) return;
  throw new PriceTooHigh(
    `it costs ${formatRub(priceRub)}, more than --max-price ${formatRub(maxPriceRub)}; nothing was submitted`,
    { code: 'max_price', hint: 'change the request, or allow more with --max-price' },
  );
}

export interface Agreed {
  /** What was quoted, and shown. */
  readonly agreedRub: number | undefined;
  readonly maxPriceRub: number | undefined;
}

/**
 * Warns of a job that the service took on at a higher price than it had quoted.
 * @throws PriceTooHigh when that is above --max-price: it is paid for, and its id is on stdout.
 */
export async function demandPrice(
  world: JobWorld,
  job: Begun,
  { agreedRub, maxPriceRub = Infinity }: Agreed,
): Promise<void> {
  const { jobId, priceRub = 0 } = job;
  if (priceRub > maxPriceRub) {
    await tellId(world, job);
    throw new PriceTooHigh(
      `${jobId} was accepted at ${formatRub(priceRub)}, more than --max-price ${formatRub(maxPriceRub)}`,
      { code: 'max_price_passed', hint: `it is paid for and goes on: \`${comeBack(jobId)}\`` },
    );
  }
  if (agreedRub !== undefined && priceRub > agreedRub) {
    const prices = `${formatRub(priceRub)}, more than the ${formatRub(agreedRub)} that were quoted`;
    world.context.out.warn(`${jobId} was accepted at ${prices}`);
  }
}
