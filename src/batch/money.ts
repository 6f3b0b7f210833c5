/** What the lines of a batch cost, and the ceilings of a run. */
import { withOneDeadline, type Client } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { priceIn } from '../api/media/submit.js';
import { modelPrices, priceLimit } from '../api/price-limit.js';
import type { Context } from '../cli/context.js';
import { PriceTooHigh } from '../errors.js';
import { newOwner } from '../files/owner.js';
import { pricesFor } from '../jobs/spending.js';
import { formatRub } from '../lib/amounts.js';
import { numberOf, recordOf } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { BatchRequest } from './request.js';

export interface Money {
  /** RUB, certainly charged so far in this run. */
  readonly spentRub: number;
  /** What is in flight may cost this, with the answers whose price is not known. */
  readonly reservedRub: number;
  /**
   * Reserves the most that the request may cost. Undefined: it may fit when what is in flight has
   * been settled. @throws PriceTooHigh when it never fits, or its price is not known
   */
  reserve(request: BatchRequest): Held | undefined | Promise<Held | undefined>;
  /** The price of an answer: as the answer states it, else its tokens by the price list. */
  costOf(request: BatchRequest, answer: unknown): number | undefined;
  /** Learns the prices that are still open, and gives back what was not spent. */
  close(): Promise<void>;
}

/** Exactly one of them is called. */
export interface Held {
  /** @param costRub where it is not known, that of the usage record, or else all of it, is spent. */
  settle(costRub: number | undefined, generationId?: string): void;
  /** Certainly nothing was charged. */
  release(): void;
}

export interface Ceilings {
  /** RUB, of all lines together, in all runs. */
  readonly budgetRub?: number;
  /** RUB, of each line. */
  readonly maxCostRub?: number;
  /** The most that the batch may have spent, kept beside its output. */
  readonly journal?: { readonly committedRub: number; commit(rub: number): void };
}

/** So much of what is left is set aside in one write; a run that is killed leaves it reserved. */
const portion = 1 / 100;
const rubSlack = 1e-9;
const learnLimitMs = 30_000;

/** @param paying has no `spending` where no ceiling or budget is set. */
export async function openMoney(
  context: Context,
  paying: Client,
  { budgetRub = Infinity, maxCostRub = Infinity, journal }: Ceilings,
): Promise<Money> {
  const client: Client = { ...paying, spending: undefined };
  const asking = { client, prices: pricesFor(context, client) };
  // Where a ceiling needs it, `reserve` says why there is none.
  const prices = await asking.prices().catch(() => undefined);
  const booking = paying.spending && (await openBooking(context, client));
  const earlierRub = journal?.committedRub ?? 0;
  const isBounded = booking !== undefined || budgetRub < Infinity;
  const isLimited = !context.flags.dryRun && (isBounded || maxCostRub < Infinity);
  let [spentRub, reservedRub, inFlight] = [0, 0, 0];
  /** What may be spent and reserved without another write. */
  let grantedRub = isBounded ? 0 : Infinity;

  const makeRoom = (mostRub: number, { row, lineNumber }: BatchRequest): void => {
    const missingRub = spentRub + reservedRub + mostRub - grantedRub;
    if (missingRub <= rubSlack) return;
    const hint = row.paid === 'answer' ? 'limit the answer with max_tokens, or ' : '';
    const leftRub = budgetRub - earlierRub - spentRub - reservedRub;
    if (mostRub > leftRub + rubSlack) {
      const left = `${formatRub(Math.max(0, leftRub))} left of --budget ${formatRub(budgetRub)}`;
      const message = `line ${lineNumber} may cost up to ${formatRub(mostRub)}, more than the ${left}`;
      throw new PriceTooHigh(message, { code: 'budget', hint: `${hint}raise --budget` });
    }
    const freeRub = budgetRub - earlierRub - grantedRub;
    const partRub = Math.min(freeRub, booking?.leftRub() ?? Infinity) * portion;
    const moreRub = Math.max(missingRub, partRub);
    booking?.grow(moreRub, grantedRub, hint);
    grantedRub += moreRub;
    journal?.commit(earlierRub + grantedRub);
  };

  /** Answers whose price their usage records say, by the ids of these. */
  const unpriced = new Map<string, (costRub: number) => void>();
  const learn = async () => {
    const limited = withOneDeadline({ ...client, deadlineMs: learnLimitMs });
    for (const [id, rub] of await pricesOf(limited, [...unpriced.keys()]).catch(() => [])) {
      unpriced.get(id)?.(rub);
      unpriced.delete(id);
    }
  };

  const reserve = async (request: BatchRequest): Promise<Held | undefined> => {
    const { row, lineNumber, body } = request;
    const url = new URL(client.brand.path(row.path), client.baseUrl);
    const { rub } = row.paid ? await priceLimit(asking, row.paid, { url, body }) : { rub: 0 };
    if (rub > maxCostRub) {
      const most = `${formatRub(rub)}, more than --max-cost ${formatRub(maxCostRub)}`;
      const details = { code: 'max_cost', hint: 'raise --max-cost, or change the line' };
      throw new PriceTooHigh(`line ${lineNumber} may cost up to ${most}`, details);
    }
    if (booking?.isOver()) {
      // What belongs to the budget of the day before is settled first.
      if (inFlight > 0) return undefined;
      await learn();
      unpriced.clear();
      grantedRub = spentRub + reservedRub;
      booking.end(grantedRub);
    }
    try {
      makeRoom(rub, request);
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      if (inFlight > 0) return undefined;
      if (unpriced.size === 0) throw error;
      await learn();
      makeRoom(rub, request);
    }
    reservedRub += rub;
    inFlight += 1;
    const priced = (costRub: number) => {
      spentRub += costRub;
      reservedRub -= rub;
    };
    const settle: Held['settle'] = (costRub, generationId) => {
      inFlight -= 1;
      if (costRub !== undefined) priced(costRub);
      else if (generationId !== undefined) unpriced.set(generationId, priced);
    };
    return { settle, release: () => settle(0) };
  };
  const unlimited: Held = {
    settle: (costRub = 0) => {
      spentRub += costRub;
    },
    release: () => undefined,
  };

  return {
    get spentRub() {
      return spentRub;
    },
    get reservedRub() {
      return reservedRub;
    },
    reserve: isLimited ? reserve : () => unlimited,
    costOf: ({ row: { paid }, model }, answer) => {
      if (paid === undefined) return 0;
      const stated = priceIn(answer);
      if (stated !== undefined || !prices) return stated;
      if (paid !== 'answer' && paid !== 'input') return undefined;
      const usage = recordOf(recordOf(answer)['usage']);
      // Cached tokens have a price of their own.
      if (/cache\w*":[1-9]/i.test(JSON.stringify(usage))) return undefined;
      const input = numberOf(usage['prompt_tokens'] ?? usage['input_tokens']) ?? NaN;
      const output = numberOf(usage['completion_tokens'] ?? usage['output_tokens']) ?? NaN;
      const { inputRub, outputRub } = modelPrices(prices, model);
      const rub = input * inputRub + (paid === 'answer' ? output * outputRub : 0);
      return rub >= 0 ? Math.round(rub * 1e6) / 1e6 : undefined;
    },
    close: async () => {
      if (unpriced.size > 0 && !client.signal.aborted) await learn();
      booking?.end(spentRub + reservedRub);
      if (isBounded) journal?.commit(earlierRub + spentRub + reservedRub);
    },
  };
}

/** The budget of all processes, in which a run has one reservation a day, which grows. */
async function openBooking(context: Context, client: Client) {
  const { clock, paths } = context;
  const { budgetDayRub, budgetMonthRub } = context.settings();
  if ((budgetDayRub ?? budgetMonthRub) === undefined) return undefined;
  const { openBudget } = await import('../state/budget.js');
  const budgets = { budgetDayRub, budgetMonthRub };
  const budget = openBudget(paths, accountFor(context, client), budgets);
  const owner = await newOwner();
  let row: { id: number; fromRub: number; untilMs: number } | undefined;
  return {
    leftRub: () => budget.leftRub(clock.now()),
    isOver: () => row !== undefined && clock.now() >= row.untilMs,
    /** @param fromRub what the run has spent and reserved before. @throws PriceTooHigh */
    grow: (rub: number, fromRub: number, hint: string) => {
      const nowMs = clock.now();
      // No model of a usage record has this name, so none is taken for its price.
      const asked = { model: 'svc batch run', rub, key: undefined, isOnce: false, hint };
      const { id } = budget.reserve({ ...asked, id: row?.id }, owner, nowMs);
      row ??= { id, fromRub, untilMs: new Date(nowMs).setHours(24, 0, 0, 0) };
    },
    end: (committedRub: number) => {
      if (row) budget.settle(row.id, committedRub - row.fromRub, null);
      row = undefined;
    },
  };
}
