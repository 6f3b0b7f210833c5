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

export const seeBudget = 'see `svc budget`; ';

/** A reservation in the budget of all processes. */
export interface Booking {
  readonly id: number;
  /** A request with the same key has made it, and may have been charged. */
  readonly isAgain: boolean;
}

/** One paid request. */
export interface Payment {
  /** The innermost purse that it is paid from. */
  readonly purse: Purse;
  /** What it may cost. */
  readonly maxRub: number;
  /** What it cost, once that is known. */
  priceRub?: number;
  /** The id of its usage record or job. */
  record?: string | undefined;
  /** Its record is a job, which may be refunded. */
  isJob?: boolean;
  booking?: Booking | undefined;
  /** The Idempotency-Key of its request. */
  key?: string | undefined;
  /** A request has ended without an answer that says whether it was charged. */
  isOpen?: boolean;
}

/** What a call may cost, where a request of it is more than may be spent without a question; Infinity is not known. */
export interface CallCost {
  /** The requests before this one: what is spent for them, or what they may cost. */
  readonly earlierRub: number;
  /** This request, with those before it. */
  readonly sumRub: number;
  /** The whole call, to which the user agrees: the same unless more requests follow. */
  readonly mostRub: number;
}

/** Asks the user whether a call may cost more than it may without a question. */
export interface Consent {
  /** What a call may cost without a question. */
  readonly freeRub: number;
  /** Once in a call. @throws NotConfirmed */
  readonly ask: (model: string, cost: CallCost) => Promise<void>;
}

export class Purse {
  /** Certainly charged. */
  spentRub = 0;
  /** The most that all else may cost: what is in flight, and answers whose price is not known. */
  reservedRub = 0;
  /** Answers whose price their usage records say. */
  readonly #unpriced = new Set<Payment>();

  /**
   * @param onSettled gets each payment whose price has become known.
   * @param outer the purse that this one is a part of, which counts all of its payments too.
   */
  constructor(
    private readonly onSettled: (payment: Payment) => void = () => undefined,
    private readonly outer?: Purse,
  ) {}

  get committedRub(): number {
    return this.spentRub + this.reservedRub;
  }

  reserve(maxRub: number): Payment {
    this.#add(maxRub, 0);
    return { maxRub, purse: this };
  }

  /** The price may change: a job that fails may be refunded. */
  settle(payment: Payment, priceRub: number): void {
    const { maxRub, priceRub: earlierRub, purse } = payment;
    purse.#add(earlierRub === undefined ? -maxRub : 0, priceRub - (earlierRub ?? 0));
    payment.priceRub = priceRub;
    purse.#hasPrice(payment);
    purse.onSettled(payment);
  }

  /** Its price is learned when it matters; until then all that it may cost stays reserved. */
  settleLater(payment: Payment, record: string | undefined): void {
    payment.record = record;
    if (record !== undefined) this.#unpriced.add(payment);
    this.outer?.settleLater(payment, record);
  }

  /** Certainly nothing was charged. */
  release({ maxRub }: Payment): void {
    this.#add(-maxRub, 0);
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

  #add(reservedRub: number, spentRub: number): void {
    this.reservedRub += reservedRub;
    this.spentRub += spentRub;
    if (this.outer) this.outer.#add(reservedRub, spentRub);
  }

  #hasPrice(payment: Payment): void {
    this.#unpriced.delete(payment);
    if (this.outer) this.outer.#hasPrice(payment);
  }
}
