/** What the lines of a batch cost, and the ceilings of a run. */
import type { Client } from '../api/client.js';
import type { Context } from '../cli/context.js';
import type { BatchRequest } from './request.js';

export interface Money {
  /** RUB, certainly charged so far in this run. */
  readonly spentRub: number;
  readonly reservedRub: number;
  /**
   * Reserves the most that the request may cost. Undefined: it may fit when what is in flight has
   * been settled. @throws PriceTooHigh when it never fits, or its price is not known
   */
  reserve(request: BatchRequest): Held | undefined | Promise<Held | undefined>;
  /** The price of an answer: as the answer states it, else its tokens by the price list. */
  costOf(request: BatchRequest, answer: unknown): number | undefined;
}

/** Exactly one of them is called. */
export interface Held {
  /** @param costRub undefined where it is not known: then all of it counts as spent. */
  settle(costRub: number | undefined): void;
  /** Certainly nothing was charged. */
  release(): void;
}

const nothing: Held = { settle: () => undefined, release: () => undefined };

/** @param ceilings RUB: of all lines together, and of each. */
export function openMoney(
  _context: Context,
  _client: Client,
  _ceilings: { readonly budgetRub?: number; readonly maxCostRub?: number },
): Promise<Money> {
  return Promise.resolve({
    spentRub: 0,
    reservedRub: 0,
    reserve: () => Promise.resolve(nothing),
    costOf: () => undefined,
  });
}
