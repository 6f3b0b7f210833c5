/** What the lines of a batch cost, and the ceilings of a run. */
import { withLimit, type Client } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { priceIn } from '../api/media/submit.js';
import { answerLimit, fittingTokens, limitAnswer, shorterAnswer } from '../api/price-limit.js';
import { modelPrices, priceLimit } from '../api/price-limit.js';
import type { Context } from '../context.js';
import { messagesMaxTokens } from '../contract/limits.js';
import { PriceTooHigh } from '../errors.js';
import { newOwner } from '../files/owner.js';
import { pricesFor } from '../spending/spending.js';
import { formatRub } from '../lib/amounts.js';
import { parsedJson, recordOf, toJson } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { BatchRequest } from './request.js';
import { tokensOf } from './send.js';

export type Money = Awaited<ReturnType<typeof openMoney>>;

/**
 * Reserves the most that the request may cost. Undefined: it may fit when what is in flight has
 * been settled. @throws PriceTooHigh when it never fits, or its price is not known
 */
type Reserve = (request: BatchRequest) => Held | undefined | Promise<Held | undefined>;

/** Exactly one of them is called. */
export interface Held {
  /** What is sent in place of the request: its answer has a limit, so that its price has one. */
  readonly limited?: BatchRequest;
  /** @param costRub where it is not known, the usage record or else the reservation is counted. */
  settle(costRub: number | undefined, generationId?: string): void;
  /** Certainly nothing was charged. */
  release(): void;
}

export interface Ceilings {
  /** Of all lines together, in all runs, and of each line. */
  readonly budgetRub?: number;
  readonly maxCostRub?: number;
  /** Whether the limit of an answer is lowered to what the ceilings allow. */
  readonly isFitted?: boolean;
  /** The most that the batch may have spent, kept beside its output. */
  readonly journal?: { readonly committedRub: number; commit(rub: number): void };
}

/** So much of what is left is set aside in one write; a run that is killed leaves it reserved. */
const portion = 1 / 100;
const rubSlack = 1e-9;
const learnLimitMs = 30_000;

/** @param paying has no `spending` where neither a ceiling nor a budget is set. */
export async function openMoney(
  context: Context,
  paying: Client,
  { budgetRub = Infinity, isFitted = false, maxCostRub = Infinity, journal }: Ceilings,
) {
  const client: Client = { ...paying, spending: undefined };
  const asking = { client, prices: pricesFor(context, client) };
  // Where a ceiling needs it, `reserve` says why there is none.
  const prices = await asking.prices().catch(() => undefined);
  const shared = paying.spending && (await openShared(context, client));
  const earlierRub = journal?.committedRub ?? 0;
  const isBounded = shared !== undefined || budgetRub < Infinity;
  const isLimited = !context.flags.dryRun && (isBounded || maxCostRub < Infinity);
  const shorter = isFitted ? '' : shorterAnswer;
  let inFlight = 0;
  /** What may be spent and reserved without another write. */
  let grantedRub = isBounded ? 0 : Infinity;
  const committedRub = () => money.spentRub + money.reservedRub;

  const makeRoom = ({ row, lineNumber }: BatchRequest, mostRub: number): void => {
    const missingRub = committedRub() + mostRub - grantedRub;
    if (missingRub <= rubSlack) return;
    const hint = row.paid === 'answer' ? shorter : '';
    const leftRub = budgetRub - earlierRub - committedRub();
    if (mostRub > leftRub + rubSlack) {
      const left = `${formatRub(Math.max(0, leftRub))} left of --budget ${formatRub(budgetRub)}`;
      const message = `line ${lineNumber} may cost up to ${formatRub(mostRub)}, more than the ${left}`;
      throw new PriceTooHigh(message, { code: 'budget', hint: `${hint}raise --budget` });
    }
    const freeRub = budgetRub - earlierRub - grantedRub;
    const partRub = Math.min(freeRub, shared?.leftRub() ?? Infinity) * portion;
    const moreRub = Math.max(missingRub, partRub);
    shared?.take(moreRub, `line ${lineNumber} may add`, hint);
    grantedRub += moreRub;
    journal?.commit(earlierRub + grantedRub);
  };

  /** Answers whose price their usage records say, by the ids of these. */
  const unpriced = new Map<string, (costRub: number) => void>();
  const learn = async () => {
    const limited = withLimit(client, learnLimitMs);
    for (const [id, rub] of await pricesOf(limited, [...unpriced.keys()]).catch(() => [])) {
      unpriced.get(id)?.(rub);
      unpriced.delete(id);
    }
  };

  /** What the lines that are not sent yet may cost. */
  const leftRub = () => {
    const ownRub = budgetRub - earlierRub - committedRub();
    return Math.min(ownRub, (shared?.leftRub() ?? Infinity) + grantedRub - committedRub());
  };
  const mostOf = async ({ row, body }: BatchRequest) => {
    const url = new URL(client.brand.path(row.path), client.baseUrl);
    return row.paid ? (await priceLimit(asking, row.paid, { url, body })).rub : 0;
  };
  /** Under --fit, with a lower limit where it may cost more; unchanged where none is low enough. */
  const fitted = async (request: BatchRequest, rub: number) => {
    if (!isFitted || request.row.paid !== 'answer') return request;
    try {
      const tokens = await fittingTokens(asking, bodyOf(request), rub, '');
      return tokens === undefined ? request : limitedTo(request, tokens);
    } catch (error) {
      if (error instanceof PriceTooHigh) return request;
      throw error;
    }
  };
  const reserve: Reserve = async (given) => {
    let request = await fitted(bounded(given), maxCostRub);
    let rub = await mostOf(request);
    if (rub > maxCostRub) {
      const most = `${formatRub(rub)}, more than --max-cost ${formatRub(maxCostRub)}`;
      const details = { code: 'max_cost', hint: `${shorter}raise --max-cost` } as const;
      throw new PriceTooHigh(`line ${request.lineNumber} may cost up to ${most}`, details);
    }
    try {
      if (shared?.isOver()) {
        if (inFlight > 0) return undefined;
        unpriced.clear();
        grantedRub = committedRub();
      }
      makeRoom(request, rub);
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      if (inFlight > 0) return undefined;
      await learn();
      request = await fitted(request, leftRub());
      rub = await mostOf(request);
      makeRoom(request, rub);
    }
    money.reservedRub += rub;
    inFlight += 1;
    const priced = (costRub: number) => {
      money.spentRub += costRub;
      money.reservedRub -= rub;
    };
    const settle: Held['settle'] = (costRub, generationId) => {
      inFlight -= 1;
      if (costRub !== undefined) priced(costRub);
      else if (generationId !== undefined) unpriced.set(generationId, priced);
    };
    return { limited: request, settle, release: () => settle(0) };
  };
  const unlimited: Reserve = () => ({
    settle: (costRub = 0) => void (money.spentRub += costRub),
    release: () => undefined,
  });

  const money = {
    /** Certainly charged so far in this run. */
    spentRub: 0,
    /** The most that what is in flight costs, and the answers whose price is not known. */
    reservedRub: 0,
    reserve: isLimited ? reserve : unlimited,
    leftRub,
    /** Whether a ceiling or a budget limits what may be spent. */
    isLimited,
    /** The price of an answer: as the answer states it, else its tokens by the price list. */
    costOf: ({ row: { paid }, model }: BatchRequest, answer: unknown) => {
      if (paid === undefined) return 0;
      const stated = priceIn(answer);
      if (stated !== undefined || !prices) return stated;
      if (paid !== 'answer' && paid !== 'input') return undefined;
      // Cached tokens have a price of their own.
      if (/cache\w*":[1-9]/i.test(JSON.stringify(recordOf(answer)['usage']))) return undefined;
      const { input = NaN, output = NaN } = tokensOf(answer);
      const { inputRub, outputRub } = modelPrices(prices, model);
      const rub = input * inputRub + (paid === 'answer' ? output * outputRub : 0);
      return rub >= 0 ? Math.round(rub * 1e6) / 1e6 : undefined;
    },
    /** Gives back what was not spent. */
    close: async () => {
      if (unpriced.size > 0 && !client.signal.aborted) await learn();
      shared?.end(grantedRub - committedRub());
      if (isBounded && grantedRub > 0) journal?.commit(earlierRub + committedRub());
    },
  };
  return money;
}

/** As `svc chat` limits an answer where the request does not, so that its price has a limit. */
export function bounded(request: BatchRequest): BatchRequest {
  const isOpen = request.row.paid === 'answer' && answerLimit(bodyOf(request)) === undefined;
  return isOpen ? limitedTo(request, messagesMaxTokens) : request;
}

function limitedTo(request: BatchRequest, maxTokens: number): BatchRequest {
  return { ...request, body: toJson(limitAnswer(request.row, bodyOf(request), maxTokens)) };
}

const bodyOf = ({ body }: BatchRequest) => recordOf(parsedJson(body));

/** The budget of all processes: the run takes portions of it, each of which counts for its day. */
async function openShared(context: Context, client: Client) {
  const { clock, paths } = context;
  const budgets = context.settings();
  if ((budgets.budgetDayRub ?? budgets.budgetMonthRub) === undefined) return undefined;
  const { openBudget } = await import('../state/budget.js');
  const budget = openBudget(paths, accountFor(context, client), budgets);
  const owner = await newOwner();
  let end: (unspentRub: number) => void = () => undefined;
  let untilMs = Infinity;
  return {
    leftRub: () => budget.leftRub(clock.now()),
    /** The day of the last portion. */
    isOver: () => clock.now() >= untilMs,
    /** @throws PriceTooHigh */
    take: (rub: number, what: string, hint: string) => {
      // No model of a usage record has this name, so none is taken for its price.
      const asked = { model: 'svc batch run', rub, key: undefined, isOnce: false, what, hint };
      const { id } = budget.reserve(asked, owner, clock.now());
      end(0);
      untilMs = new Date(clock.now()).setHours(24, 0, 0, 0);
      // The rest of one that was in flight may be more than the last portion.
      end = (unspentRub) => budget.settle(id, rub - unspentRub, null);
    },
    end: (unspentRub: number) => end(unspentRub),
  };
}
