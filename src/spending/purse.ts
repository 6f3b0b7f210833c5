/** The money of one run: a price limit is reserved, then settled with the price, or released. */
import { withLimit, type Client } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { PriceTooHigh } from '../errors.js';

/** Sums of decimal fractions are off by less. */
const rubSlack = 1e-9;

export function isAbove(rub: number, limitRub: number): boolean {
  return rub > limitRub + rubSlack;
}

/** The one refusal of all ceilings and budgets. @param amount the most that would be paid */
export function priceTooHigh(
  what: string,
  amount: string,
  limit: string,
  details: { readonly code: 'max_cost' | 'budget'; readonly hint: string },
): PriceTooHigh {
  return new PriceTooHigh(`${what} up to ${amount}, more than ${limit}`, details);
}

/** A reservation in the budget of all processes. */
export interface Booking {
  readonly id: number;
  /** A request with the same key has made it, and may have been charged. */
  readonly isAgain: boolean;
}

/** One paid request. */
export interface Payment {
  /** What it may cost. */
  readonly maxRub: number;
  /** What it cost, once that is known. */
  priceRub?: number;
  /** The id of its usage record or job. */
  record?: string | undefined;
  /** Its record is a job, which may be refunded. */
  isJob?: boolean;
  booking?: Booking;
}

export class Purse {
  /** Certainly charged. */
  spentRub = 0;
  /** The most that all else may cost: what is in flight, and answers whose price is not known. */
  reservedRub = 0;
  /** Answers whose price their usage records say. */
  readonly #unpriced = new Set<Payment>();

  /** @param onSettled gets each payment whose price has become known. */
  constructor(private readonly onSettled: (payment: Payment) => void = () => undefined) {}

  get committedRub(): number {
    return this.spentRub + this.reservedRub;
  }

  reserve(maxRub: number): Payment {
    this.reservedRub += maxRub;
    return { maxRub };
  }

  /** The price may change: a job that fails may be refunded. */
  settle(payment: Payment, priceRub: number): void {
    if (payment.priceRub === undefined) this.reservedRub -= payment.maxRub;
    this.spentRub += priceRub - (payment.priceRub ?? 0);
    payment.priceRub = priceRub;
    this.#unpriced.delete(payment);
    this.onSettled(payment);
  }

  /** Its price is learned when it matters; until then all that it may cost stays reserved. */
  settleLater(payment: Payment, record: string | undefined): void {
    payment.record = record;
    if (record !== undefined) this.#unpriced.add(payment);
  }

  /** Certainly nothing was charged. */
  release({ maxRub }: Payment): void {
    this.reservedRub -= maxRub;
  }

  /** Asks for the open prices; what cannot be learned stays reserved. */
  async learn(client: Client, limitMs: number): Promise<void> {
    const unpriced = [...this.#unpriced];
    if (unpriced.length === 0 || client.signal.aborted) return;
    const records = unpriced.flatMap(({ record }) => record ?? []);
    const prices = await pricesOf(withLimit(client, limitMs), records).catch(() => undefined);
    for (const payment of unpriced) {
      const priceRub = prices?.get(payment.record ?? '');
      if (priceRub !== undefined) this.settle(payment, priceRub);
    }
  }

  /** What is reserved now stays so. */
  forgetUnpriced(): void {
    this.#unpriced.clear();
  }
}
