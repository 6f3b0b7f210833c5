/** Keeps what one run pays for under its ceiling, and what all runs pay for within the budget. */
import type { Client, Reservation, Spending } from '../api/client.js';
import { costLimitMs } from '../api/cost.js';
import { chargeIn } from '../api/media/submit.js';
import { idsIn } from '../api/prepare.js';
import type { Endpoint } from '../contract/endpoint.js';
import { ApiError, PriceTooHigh } from '../errors.js';
import { abandoned, newOwner, releaseOwner, type Owner } from '../files/owner.js';
import type { HttpRequest, HttpResponse } from '../http/types.js';
import { formatRub } from '../lib/amounts.js';
import { recordOf, textOf } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { Budget, BudgetRequest, Period, Unsettled } from './budget.js';
import { settleLost, thorough } from './lost.js';
import { fittingTokens, priceLimit, shorterAnswer } from './price-limit.js';
import { priceSource, type PriceSource, type SpendingEnv } from './prices.js';
import { isAbove, priceTooHigh, Purse, type Booking, type Payment } from './purse.js';

export function hasBudget(env: SpendingEnv): boolean {
  const { budgetDayRub, budgetMonthRub } = env.settings();
  return (budgetDayRub ?? budgetMonthRub) !== undefined;
}

/** The budget of all processes, and this process as the owner of what it reserves. */
export interface OpenBudget {
  readonly budget: Budget;
  readonly owner: Owner;
}

export async function openBudget(env: SpendingEnv, client: Client): Promise<OpenBudget> {
  // It loads libsql.
  const [{ Budget }, owner] = await Promise.all([import('./budget.js'), newOwner()]);
  return { budget: new Budget(env.paths, accountFor(env, client), env.settings()), owner };
}

/** The purse of a command, of a session, or of all calls of `svc mcp`. */
export class RunSpending implements Spending {
  readonly #purse = new Purse((payment) => this.#settled(payment));
  /** What has been reserved, and has no price yet. */
  readonly #unsettled = new Set<Payment>();
  /** What may get a price, or another one, by its record. An answer with its price is forgotten. */
  readonly #recorded = new Map<string, readonly Payment[]>();
  #learning: Promise<void> | undefined;
  readonly #source: PriceSource;
  readonly #maxRub: number;
  readonly #hasBudget: boolean;
  #opening: Promise<OpenBudget> | undefined;
  #ready: OpenBudget | undefined;

  constructor(
    private readonly env: SpendingEnv,
    private readonly client: Client,
  ) {
    this.#source = priceSource(env, client);
    this.#maxRub = env.flags.maxCostRub ?? Infinity;
    this.#hasBudget = hasBudget(env);
  }

  async reserve(
    paid: NonNullable<Endpoint['paid']>,
    request: HttpRequest,
    retry: Endpoint['retry'],
  ): Promise<Reservation> {
    const { model, rub } = await priceLimit(this.#source, paid, request);
    const hint = paid === 'answer' ? shorterAnswer : '';
    const isTooHigh = () => isAbove(this.#purse.committedRub + rub, this.#maxRub);
    if (isTooHigh()) await this.#learnPrices();
    if (isTooHigh()) throw this.#tooHigh(rub, hint);
    const payment = this.#purse.reserve(rub);
    this.#unsettled.add(payment);
    try {
      const key = request.headers['idempotency-key'];
      const isOnce = retry === 'idempotent';
      if (this.#hasBudget) payment.booking = await this.#book({ model, rub, key, isOnce, hint });
    } catch (error) {
      this.#forget(payment);
      throw error;
    }
    return {
      answered: (answer) => this.#answered(payment, answer),
      failed: (isFree, error) => this.#failed(payment, isFree, error),
    };
  }

  async fit(body: object): Promise<number | undefined> {
    const hint = `shorten the prompt, raise --max-cost, or see \`svc budget\``;
    return fittingTokens(this.#source, recordOf(body), await this.spendableRub(), hint);
  }

  async spendableRub(): Promise<number> {
    const ofCeilingRub = this.#maxRub - this.#purse.committedRub;
    if (!this.#hasBudget) return ofCeilingRub;
    const { budget } = await this.#open();
    return Math.min(ofCeilingRub, budget.leftRub(this.env.clock.now()));
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
    const { budget } = await this.#open();
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

  #tooHigh(rub: number, hint: string): PriceTooHigh {
    const { committedRub } = this.#purse;
    const others = isAbove(committedRub, 0)
      ? `, and those before it ${formatRub(committedRub)}`
      : '';
    const amount = `${formatRub(rub)}${others}`;
    const limit = `--max-cost ${formatRub(this.#maxRub)}`;
    const details = { code: 'max_cost', hint: `${hint}raise --max-cost` } as const;
    return priceTooHigh('this request may cost', amount, limit, details);
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
    const ids = error instanceof ApiError ? error.requestIds : {};
    const { generationId, jobId } = ids;
    // What has a usage record may have been charged, and what an earlier attempt has reserved.
    if (!isFree || generationId !== undefined || payment.booking?.isAgain) {
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

  #open(): Promise<OpenBudget> {
    const open = async () => (this.#ready = await openBudget(this.env, this.client));
    return (this.#opening ??= open());
  }

  async #book(request: BudgetRequest): Promise<Booking> {
    const { budget, owner } = await this.#open();
    const reserve = () => budget.reserve(request, owner, this.env.clock.now());
    try {
      return reserve();
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      await settleLost(budget, this.client).catch(() => undefined);
      return reserve();
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
