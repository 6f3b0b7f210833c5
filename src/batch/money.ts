/** What the lines of a batch cost, and the ceilings of a run. */
import type { Client } from '../api/client.js';
import { priceIn } from '../api/media/submit.js';
import { PriceTooHigh } from '../errors.js';
import { comparing, formatRub } from '../lib/amounts.js';
import { parsedJson, recordOf, toJson } from '../lib/json.js';
import { Portions } from '../spending/portions.js';
import { limitAnswer, limited } from '../spending/asked.js';
import { fittingTokens, priceLimit, shorterAnswer } from '../spending/price-limit.js';
import { modelPrices, priceSource, type Prices } from '../spending/prices.js';
import type { PriceSource, SpendingEnv } from '../spending/prices.js';
import { isAbove, priceTooHigh, Purse, seeBudget } from '../spending/purse.js';
import { hasBudget, openBudget } from '../spending/open-budget.js';
import { tokensOf, type BatchRequest } from './request.js';

/** What one line may cost. One of its two methods is called, once. */
export interface LineReservation {
  /** What is sent in place of the request: its answer has a limit, so that its price has one. */
  readonly limited?: BatchRequest;
  /** @param costRub where it is not known, the usage record or else the reservation is counted. */
  settle(costRub: number | undefined, generationId?: string): void;
  /** Certainly nothing was charged. */
  release(): void;
}

export interface Ceilings {
  /** Of all lines together, in all runs. */
  readonly maxCostRub?: number;
  /** Whether the limit of an answer is lowered to what the ceilings allow. */
  readonly isFitted?: boolean;
  readonly journal?: KeptMoney;
}

/** What earlier runs may have spent, as is kept beside the output. */
export interface KeptMoney {
  /** The most that runs with a ceiling have set aside. */
  readonly committedRub: number;
  /** For the answers of all runs, as far as their prices are known. */
  readonly spentRub: number;
  /** Sent by a run without a ceiling, and perhaps charged, at a price that is not known. */
  readonly unpriced: readonly BatchRequest[];
  commit(rub: number): void;
}

/** So much of what is left is set aside in one write; a run that is killed leaves it reserved. */
const portion = 1 / 100;
const learnLimitMs = 30_000;

interface Setup {
  readonly source: PriceSource;
  /** Undefined where it could not be read: where a ceiling needs it, `reserve` says why. */
  readonly prices: Prices | undefined;
  readonly portions: Portions | undefined;
  readonly isDryRun: boolean;
}

/** The purse of one run of a batch. */
export class BatchMoney {
  /** Whether a ceiling or a budget limits what may be spent. */
  readonly isLimited: boolean;
  readonly #purse = new Purse();
  /** What this run may spend of --max-cost. */
  #ownRub: number;
  #earlierRub = 0;
  /** How a line could cost less. */
  readonly #shorter: string;
  #inFlight = 0;
  /** What may be spent and reserved without another write. */
  #grantedRub: number;

  /** @param paying has no `spending` where neither a ceiling nor a budget is set. */
  static async open(env: SpendingEnv, paying: Client, ceilings: Ceilings): Promise<BatchMoney> {
    const client = { ...paying, spending: undefined };
    const source = priceSource(env, client);
    const prices = await source.prices().catch(() => undefined);
    const isShared = paying.spending !== undefined && hasBudget(env);
    const portions = isShared ? new Portions(env.clock, await openBudget(env, client)) : undefined;
    const money = new BatchMoney(
      { source, prices, portions, isDryRun: env.flags.dryRun },
      ceilings,
    );
    if (money.isLimited && ceilings.journal) await money.#countEarlier(ceilings.journal);
    return money;
  }

  private constructor(
    private readonly setup: Setup,
    private readonly ceilings: Ceilings,
  ) {
    const { isFitted, maxCostRub = Infinity } = ceilings;
    this.isLimited = !setup.isDryRun && (setup.portions !== undefined || maxCostRub < Infinity);
    this.#ownRub = maxCostRub;
    this.#shorter = isFitted ? '' : shorterAnswer;
    this.#grantedRub = this.isLimited ? 0 : Infinity;
  }

  /** Certainly charged so far in this run. */
  get spentRub(): number {
    return this.#purse.spentRub;
  }

  /** The most that what is in flight costs, and the answers whose price is not known. */
  get reservedRub(): number {
    return this.#purse.reservedRub;
  }

  /** What the lines that are not sent yet may cost. */
  get leftRub(): number {
    const { committedRub } = this.#purse;
    return Math.min(this.#ownRub, this.#sharedRub) - committedRub;
  }

  /** What `leftRub` is left of. */
  get limitWords(): string {
    return this.#ownRub > this.#sharedRub ? 'the budget' : this.#ceilingWords;
  }

  get #ceilingWords(): string {
    return `--max-cost ${formatRub(this.ceilings.maxCostRub ?? Infinity)}`;
  }

  /** What the budget of all processes allows this run in all. */
  get #sharedRub(): number {
    return (this.setup.portions?.leftRub ?? Infinity) + this.#grantedRub;
  }

  /**
   * Reserves the most that the request may cost. Undefined: it may fit when what is in flight has
   * been settled. @throws PriceTooHigh when it never fits, or its price is not known
   */
  reserve(
    request: BatchRequest,
  ): LineReservation | undefined | Promise<LineReservation | undefined> {
    if (this.isLimited) return this.#reserve(request);
    const settle = (costRub = 0) => this.#purse.settle(this.#purse.reserve(0), costRub);
    return { settle, release: () => undefined };
  }

  /** As the line is sent: where there is a limit, its answer has one too. */
  asSent(request: BatchRequest): BatchRequest {
    return this.isLimited ? withAnswerLimit(request) : request;
  }

  /** The price of an answer: as the answer states it, else its tokens by the price list. */
  costOf({ row: { paid }, model }: BatchRequest, answer: unknown): number | undefined {
    const { prices } = this.setup;
    if (paid === undefined) return 0;
    const stated = priceIn(answer);
    if (stated !== undefined || !prices) return stated;
    if (paid !== 'answer' && paid !== 'input') return undefined;
    if (countsCached(recordOf(answer)['usage'])) return undefined;
    const { input = NaN, output = NaN } = tokensOf(answer);
    const { inputRub, outputRub } = modelPrices(prices, model);
    const rub = input * inputRub + (paid === 'answer' ? output * outputRub : 0);
    return rub >= 0 ? Math.round(rub * 1e6) / 1e6 : undefined;
  }

  /** Gives back what was not spent. */
  async close(): Promise<void> {
    await this.#learn();
    const { committedRub } = this.#purse;
    this.setup.portions?.end(this.#grantedRub - committedRub);
    if (this.isLimited && this.#grantedRub > 0)
      this.ceilings.journal?.commit(this.#earlierRub + committedRub);
  }

  async #countEarlier({ committedRub, spentRub, unpriced }: KeptMoney): Promise<void> {
    let rub = spentRub;
    for (const request of unpriced) rub += await this.#maxRubOf(withAnswerLimit(request));
    this.#earlierRub = Math.max(committedRub, rub);
    this.#ownRub -= this.#earlierRub;
  }

  async #reserve(wholeRequest: BatchRequest): Promise<LineReservation | undefined> {
    let request = this.asSent(wholeRequest);
    let rub = await this.#maxRubOf(request);
    try {
      if (this.setup.portions?.isOver) {
        if (this.#inFlight > 0) return undefined;
        this.#purse.forgetUnpriced();
        this.#grantedRub = this.#purse.committedRub;
      }
      this.#makeRoom(request, rub);
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      if (this.#inFlight > 0) return undefined;
      await this.#learn();
      request = await this.#fitted(request, this.leftRub);
      rub = await this.#maxRubOf(request);
      this.#makeRoom(request, rub);
    }
    // A job that is metered may cost more than its quote.
    const isOpenJob = request.row.paid === 'job' && !('max_price_rub' in bodyOf(request));
    if (isOpenJob) request = { ...request, maxPriceRub: rub };
    const payment = this.#purse.reserve(rub);
    this.#inFlight += 1;
    const settle = (costRub: number | undefined, generationId?: string) => {
      this.#inFlight -= 1;
      if (costRub === undefined) this.#purse.settleLater(payment, generationId);
      else this.#purse.settle(payment, costRub);
    };
    return { limited: request, settle, release: () => settle(0) };
  }

  #makeRoom(request: BatchRequest, rub: number): void {
    const { lineNumber, row } = request;
    const { committedRub } = this.#purse;
    if (!isAbove(committedRub + rub, this.#grantedRub)) return;
    const hint = row.paid === 'answer' ? this.#shorter : '';
    const leftRub = this.#ownRub - committedRub;
    if (isAbove(rub, leftRub)) {
      const words = comparing(rub, Math.max(0, leftRub));
      const limit = `the ${words(Math.max(0, leftRub))} left of ${this.#ceilingWords}`;
      const details = { code: 'max_cost', hint: `${hint}raise --max-cost` } as const;
      throw priceTooHigh(`line ${lineNumber} may cost`, words(rub), limit, details);
    }
    const { portions } = this.setup;
    const freeRub = Math.min(this.#ownRub - this.#grantedRub, portions?.leftRub ?? Infinity);
    const missingRub = committedRub + rub - this.#grantedRub;
    const moreRub = Math.max(missingRub, freeRub * portion);
    portions?.take(moreRub, `line ${lineNumber} may add`, `${hint}${seeBudget}`);
    this.#grantedRub += moreRub;
    this.ceilings.journal?.commit(this.#earlierRub + this.#grantedRub);
  }

  async #learn(): Promise<void> {
    await this.#purse.learn(this.setup.source.client, learnLimitMs);
  }

  async #maxRubOf({ row, body }: BatchRequest): Promise<number> {
    const { client } = this.setup.source;
    const url = new URL(client.brand.path(row.path), client.baseUrl);
    return row.paid ? (await priceLimit(this.setup.source, row.paid, { url, body })).rub : 0;
  }

  /** Under --shorten, with a lower limit where it may cost more; unchanged where none is low enough. */
  async #fitted(request: BatchRequest, rub: number): Promise<BatchRequest> {
    if (!this.ceilings.isFitted || request.row.paid !== 'answer') return request;
    try {
      const tokens = await fittingTokens(this.setup.source, bodyOf(request), rub, '');
      if (tokens === undefined) return request;
      return { ...request, body: toJson(limitAnswer(request.row, bodyOf(request), tokens)) };
    } catch (error) {
      if (error instanceof PriceTooHigh) return request;
      throw error;
    }
  }
}

/** Whether a usage counts cached tokens, which have a price of their own. */
function countsCached(usage: unknown): boolean {
  return Object.entries(usage ?? {}).some(([name, value]: [string, unknown]) => {
    if (typeof value === 'object') return countsCached(value);
    return typeof value === 'number' && value >= 1 && /cache\w*$/i.test(name);
  });
}

/** As `svc chat` limits an answer where the request does not, so that its price has a limit. */
export function withAnswerLimit(request: BatchRequest): BatchRequest {
  const whole = bodyOf(request);
  const body = limited(request.row, whole);
  return body === whole ? request : { ...request, body: toJson(body) };
}

const bodyOf = ({ body }: BatchRequest) => recordOf(parsedJson(body));
