/** Keeps what one run pays for under its ceiling, and what all runs pay for within the budget. */
import type { Client, Reservation, Spending } from '../api/client.js';
import { costLimitMs } from '../api/cost.js';
import { chargeIn } from '../api/media/submit.js';
import { idsIn } from '../api/prepare.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError, PriceTooHigh } from '../errors.js';
import { abandoned, releaseOwner } from '../files/owner.js';
import type { HttpRequest, HttpResponse } from '../http/types.js';
import { comparing } from '../lib/amounts.js';
import { recordOf, textOf } from '../lib/json.js';
import type { Budget, BudgetRequest, Period, Unsettled } from './budget.js';
import { settleLost, thorough } from './lost.js';
import { hasBudget, openBudget, type OpenBudget } from './open-budget.js';
import { bodyIn, fittingTokens, modelIn, priceLimit, shorterAnswer } from './price-limit.js';
import { priceSource, type PriceSource, type SpendingEnv } from './prices.js';
import { isAbove, priceTooHigh, Purse, seeBudget, type Consent, type Payment } from './purse.js';

/** What a call of `svc mcp` has beside its own ceiling. */
export interface Around {
  /** The spending of all calls: what each of them may cost counts there too. */
  readonly all: RunSpending;
  /** Absent where the user cannot be asked. */
  readonly consent: Consent | undefined;
}

/** The purse of a command, of a session, or of one or all calls of `svc mcp`. */
export class RunSpending implements Spending {
  readonly #purse: Purse;
  /** What has been reserved, and has no price yet. */
  readonly #unsettled = new Set<Payment>();
  /** What may get a price, or another one, by its record. An answer with its price is forgotten. */
  readonly #recorded: Map<string, readonly Payment[]>;
  /** Payments that are open, by the key of their request: sent again with it, it is charged once. */
  readonly #open: Map<string, Payment>;
  /** What this run may cost without a question to the user, which is asked once for all of it. */
  #freeRub: number;
  /** The question; after a refusal, nothing more of the run is paid for. */
  #asking: Promise<void> | undefined;
  #hasMore = false;
  #learning: Promise<void> | undefined;
  readonly #source: PriceSource;
  #maxRub: number;
  readonly #hasBudget: boolean;
  #opening: Promise<OpenBudget> | undefined;
  #ready: OpenBudget | undefined;

  constructor(
    private readonly env: SpendingEnv,
    private readonly client: Client,
    private readonly around?: Around,
  ) {
    const { all, consent } = around ?? {};
    this.#purse = new Purse((payment) => this.#settled(payment), all && all.#purse);
    this.#recorded = all ? all.#recorded : new Map<string, readonly Payment[]>();
    this.#open = all ? all.#open : new Map<string, Payment>();
    this.#freeRub = consent?.freeRub ?? Infinity;
    this.#source = all ? { client, prices: all.#source.prices } : priceSource(env, client);
    this.#maxRub = env.flags.maxCostRub ?? Infinity;
    this.#hasBudget = hasBudget(env);
  }

  async reserve(
    paid: NonNullable<Endpoint['paid']>,
    request: HttpRequest,
    retry: Endpoint['retry'],
  ): Promise<Reservation> {
    const { model, rub } = await this.#priceOf(paid, request);
    const key = request.headers['idempotency-key'];
    const isOnce = retry === 'idempotent';
    const asked = { model, rub, key, isOnce, hint: paid === 'answer' ? shorterAnswer : '' };
    const open = isOnce ? this.#open.get(key ?? '') : undefined;
    // Under a lower ceiling it is refused: the service may not have got the first request.
    const isHeld = open && rub <= open.maxRub && !isAbove(rub, this.#maxRub);
    const payment = isHeld ? open : await this.#pay(asked);
    return {
      answered: (answer) => this.#answered(payment, answer),
      failed: (isFree, error) => this.#failed(payment, isFree, error),
    };
  }

  async #pay(asked: BudgetRequest): Promise<Payment> {
    const payment = await this.#admit(asked);
    payment.key = asked.key;
    try {
      payment.booking = await this.#withinBudget(asked, ({ budget, owner }, request) =>
        budget.reserve(request, owner, this.env.clock.now()),
      );
      return payment;
    } catch (error) {
      this.#forget(payment);
      throw error;
    }
  }

  async agree(model: string, rub: number): Promise<void> {
    this.#forget(await this.#admit({ model, rub, hint: '' }));
  }

  expectMore(isMore: boolean): void {
    this.#hasMore = isMore;
  }

  async fit(body: object): Promise<number | undefined> {
    const hint = 'shorten the prompt, raise --max-cost, or see `svc budget`';
    return fittingTokens(this.#source, recordOf(body), await this.spendableRub(), hint);
  }

  async spendableRub(): Promise<number> {
    if (!this.#hasBudget) return this.#ceilingsLeftRub;
    const { budget } = await this.#openBudget();
    return Math.min(this.#ceilingsLeftRub, budget.leftRub(this.env.clock.now()));
  }

  get #ceilingsLeftRub(): number {
    return Math.min(this.ceilingLeftRub, this.around?.all.ceilingLeftRub ?? Infinity);
  }

  /** What is left of its own ceiling; Infinity without one. */
  get ceilingLeftRub(): number {
    return Math.max(0, this.#maxRub - this.committedRub);
  }

  /** What was charged, and the most that all else may cost. */
  get committedRub(): number {
    return this.#purse.committedRub;
  }

  settle(record: string, priceRub: number): void {
    const payments = this.#recorded.get(record) ?? [];
    for (const payment of payments) this.#purse.settle(payment, priceRub);
  }

  /** What is left of the budget; undefined where it is not needed, or cannot be read. */
  leftRub(): number | undefined {
    return this.#trying((budget) => budget.leftRub(this.env.clock.now()));
  }

  /** The budget's periods, and the requests whose outcome is unknown. */
  async standing(): Promise<{
    readonly periods: readonly Period[];
    readonly unknown: readonly Unsettled[];
  }> {
    const { budget } = await this.#openBudget();
    await settleLost(budget, this.client, thorough).catch(() => undefined);
    const periods = budget.periodsAt(this.env.clock.now());
    return { periods, unknown: await abandoned(budget.unsettled()) };
  }

  /** Learns the prices that are still open; what cannot be learned stays reserved. */
  async end(): Promise<void> {
    if (!this.#ready) return;
    await this.#learnPrices();
    for (const payment of this.#unsettled) this.#settleBooking(payment);
    releaseOwner(this.#ready.owner);
  }

  /** The most that a request costs; without any limit, Infinity where that is not known. */
  #priceOf(paid: NonNullable<Endpoint['paid']>, request: HttpRequest) {
    const { all, consent } = this.around ?? {};
    const ceilingRub = Math.min(this.#maxRub, all ? all.#maxRub : Infinity);
    const isLimited = this.#hasBudget || ceilingRub < Infinity || !consent;
    return priceLimit(this.#source, paid, request).catch((error: unknown) => {
      if (isLimited || !(error instanceof PriceTooHigh)) throw error;
      return { model: modelIn(bodyIn(request), paid), rub: Infinity };
    });
  }

  /**
   * Reserves what fits all ceilings and is agreed to. Nothing is reserved while the user is asked.
   * @throws PriceTooHigh, NotConfirmed
   */
  async #admit(request: BudgetRequest): Promise<Payment> {
    const { rub, hint } = request;
    const { all } = this.around ?? {};
    const isFull = (one: RunSpending) => isAbove(one.committedRub + rub, one.#maxRub);
    for (;;) {
      for (const one of all ? [this, all] : [this]) if (isFull(one)) await one.#learnPrices();
      // A higher ceiling of the call would not help.
      if (all && isFull(all)) throw all.#aboveAll(rub, hint);
      if (isFull(this)) throw this.#tooHigh(rub, hint);
      if (!isAbove(this.committedRub + rub, this.#freeRub)) break;
      await (this.#asking ??= this.#ask(request));
    }
    const payment = this.#purse.reserve(rub < Infinity ? rub : 0);
    this.#unsettled.add(payment);
    return payment;
  }

  async #ask(request: BudgetRequest): Promise<void> {
    const { clock, timeLimit } = this.env;
    const earlierRub = this.committedRub;
    const sumRub = earlierRub + request.rub;
    const mostRub = this.#hasMore ? earlierRub + this.#ceilingsLeftRub : sumRub;
    await this.#withinBudget(request, ({ budget }, asked) => {
      budget.assertFits(asked, clock.now());
    });
    const askedAtMs = clock.now();
    await this.around?.consent?.ask(request.model, { earlierRub, sumRub, mostRub });
    timeLimit?.extend(clock.now() - askedAtMs);
    this.#maxRub = Math.min(this.#maxRub, mostRub);
    this.#freeRub = Infinity;
  }

  /** Of all calls of a server, in words for an agent. */
  #aboveAll(rub: number, hint: string): PriceTooHigh {
    const words = comparing(rub, this.ceilingLeftRub);
    const limit = `the ${words(this.ceilingLeftRub)} left of the ${words(this.#maxRub)} that the user lets this server spend`;
    hint += 'ask for less: only the user can raise it, when starting the server';
    return priceTooHigh('this request may cost', words(rub), limit, { code: 'max_cost', hint });
  }

  #tooHigh(rub: number, hint: string): PriceTooHigh {
    const { committedRub } = this;
    const words = comparing(committedRub + rub, this.#maxRub);
    const others = isAbove(committedRub, 0) ? `, and those before it ${words(committedRub)}` : '';
    const limit = `--max-cost ${words(this.#maxRub)}`;
    const details = { code: 'max_cost', hint: `${hint}raise --max-cost` } as const;
    return priceTooHigh('this request may cost', words(rub) + others, limit, details);
  }

  #answered(payment: Payment, answer: Pick<HttpResponse, 'headers'>): void {
    const data = recordOf(recordOf(answer)['data']);
    const ids = idsIn(answer, this.client.brand);
    const jobId = textOf(data['jobId']);
    this.#record(payment, jobId ?? ids.generationId, jobId ?? ids.jobId);
    const priceRub = chargeIn(data);
    if (priceRub !== undefined) this.#purse.settle(payment, priceRub);
  }

  #failed(payment: Payment, isFree: boolean, error: unknown): void {
    const { generationId, jobId } = error instanceof ApiError ? error.requestIds : {};
    // What has a usage record may have been charged, and what an earlier attempt has reserved.
    if (!isFree || generationId !== undefined || payment.booking?.isAgain || payment.isOpen) {
      payment.isOpen = true;
      if (payment.key !== undefined) this.#open.set(payment.key, payment);
      this.#record(payment, generationId, jobId);
      return;
    }
    this.#forget(payment);
    const { booking } = payment;
    if (booking) this.#trying((budget) => budget.release(booking.id));
  }

  #forget(payment: Payment): void {
    this.#purse.release(payment);
    this.#unsettled.delete(payment);
  }

  #record(payment: Payment, id: string | undefined, jobId: string | undefined): void {
    const record = id ?? jobId;
    payment.isJob = record === jobId;
    this.#purse.settleLater(payment, record);
    if (record === undefined) return;
    this.#recorded.set(record, [...(this.#recorded.get(record) ?? []), payment]);
  }

  #settled(payment: Payment): void {
    this.#settleBooking(payment);
    this.#unsettled.delete(payment);
    const { isJob, record } = payment;
    if (!isJob && record !== undefined) this.#recorded.delete(record);
  }

  #settleBooking({ booking, priceRub, record }: Payment): void {
    if (booking) this.#trying((budget) => budget.settle(booking.id, priceRub, record));
  }

  /** One question serves all requests that wait for it, but for those that came during it. */
  async #learnPrices(): Promise<void> {
    await this.#learning;
    const learn = () => this.#purse.learn(this.client, costLimitMs);
    await (this.#learning ??= learn().finally(() => (this.#learning = undefined)));
  }

  #openBudget(): Promise<OpenBudget> {
    const open = async () => (this.#ready = await openBudget(this.env, this.client));
    return (this.#opening ??= open());
  }

  /** Tries again with the prices of requests whose process has ended. @throws PriceTooHigh */
  async #withinBudget<Result>(
    { hint, ...request }: BudgetRequest,
    use: (open: OpenBudget, request: BudgetRequest) => Result,
  ): Promise<Result | undefined> {
    if (!this.#hasBudget) return undefined;
    const open = await this.#openBudget();
    const further = this.around ? 'ask the user, who has set this budget; ' : seeBudget;
    const asked = { ...request, hint: hint + further };
    try {
      return use(open, asked);
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      await settleLost(open.budget, this.client).catch(() => undefined);
      return use(open, asked);
    }
  }

  /** What cannot be written stays reserved: the answer has been paid for and matters more. */
  #trying<Result>(use: (budget: Budget) => Result): Result | undefined {
    try {
      return this.#ready && use(this.#ready.budget);
    } catch {
      return undefined;
    }
  }
}
