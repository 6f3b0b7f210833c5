/** Keeps what one run pays for under its ceiling, and what all runs pay for within the budget. */
import { usagePage, type UsageRecord } from '../api/billing.js';
import { withLimit, type Client, type Spending } from '../api/client.js';
import { pricesOf } from '../api/cost.js';
import { priceIn } from '../api/media/submit.js';
import { isModelName, withoutChannel } from '../api/models.js';
import { idsIn } from '../api/prepare.js';
import { fetchPrices, fittingTokens, priceLimit, shorterAnswer } from '../api/price-limit.js';
import type { Asking, Prices } from '../api/price-limit.js';
import type { GlobalFlags } from '../global-flags.js';
import { historyPage } from '../contract/limits.js';
import { ApiError, PriceTooHigh } from '../errors.js';
import { abandoned, newOwner, releaseOwner, type Owner } from '../files/owner.js';
import { formatRub } from '../lib/amounts.js';
import type { Clock } from '../lib/clock.js';
import { numberOf, recordOf, textOf } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { Budget } from '../state/budget.js';
import type { Paths } from '../state/paths.js';
import type { Settings } from '../state/settings.js';
import { priceCache } from '../state/small-files.js';

export type RunSpending = ReturnType<typeof openSpending>;

interface Paying {
  readonly mostRub: number;
  priceRub?: number;
  /** The id of its usage record or job. */
  record?: string;
  booked?: ReturnType<Budget['reserve']>;
}

/** What spending needs of a run. */
export interface SpendingEnv {
  readonly clock: Clock;
  readonly flags: GlobalFlags;
  readonly paths: Paths;
  readonly settings: () => Settings;
  readonly signal: AbortSignal;
}

const timeLimitMs = 3000;
const pricesKeptMs = 60 * 60 * 1000;
/** A request that was sent less than this ago may still be processed. */
export const justNowMs = 30_000;
const mostLost = 20;
const rubSlack = 1e-9;

/** The price list, asked for when it is first needed and then once an hour. */
export function pricesFor(context: SpendingEnv, client: Client): () => Promise<Prices> {
  const { clock, flags, paths } = context;
  const read = async () => {
    const cache = flags.local ? undefined : priceCache(paths, accountFor(context, client));
    const kept = cache?.read();
    if (kept && Math.abs(clock.now() - kept.fetchedAtMs) < pricesKeptMs) return kept;
    const fresh = { ...(await fetchPrices(client)), fetchedAtMs: clock.now() };
    cache?.keep(fresh);
    return fresh;
  };
  let prices: ReturnType<typeof read> | undefined;
  return () => (prices ??= read());
}

/** @param ceiling the option that sets the ceiling of the run. */
export function openSpending(context: SpendingEnv, client: Client, ceiling = '--max-cost') {
  const { clock, flags, paths, signal } = context;
  const { maxCostRub = Infinity } = flags;
  const settings = context.settings();
  const hasBudget = (settings.budgetDayRub ?? settings.budgetMonthRub) !== undefined;
  const account = accountFor(context, client);
  const hurried = () => withLimit(client, timeLimitMs);
  const all = new Set<Paying>();

  const asking: Asking = { client, prices: pricesFor(context, client) };

  let ready: { readonly budget: Budget; readonly owner: Owner } | undefined;
  const open = async () => {
    // It loads libsql.
    const [{ openBudget }, owner] = await Promise.all([import('../state/budget.js'), newOwner()]);
    ready = { budget: openBudget(paths, account, settings), owner };
    return ready;
  };
  let opening: ReturnType<typeof open> | undefined;
  const opened = () => (opening ??= open());
  /** What cannot be written stays reserved: the answer has been paid for and matters more. */
  const trying = <Result>(use: (budget: Budget) => Result): Result | undefined => {
    try {
      return ready && use(ready.budget);
    } catch {
      return undefined;
    }
  };
  /** @param priceRub null where it is not known. */
  const settle = ({ booked, record }: Paying, priceRub: number | null) => {
    if (booked) trying((budget) => budget.settle(booked.id, priceRub, record ?? null));
  };
  const priced = (one: Paying, priceRub: number) => {
    one.priceRub = priceRub;
    settle(one, priceRub);
  };
  const settleRecord = (record: string, priceRub: number) => {
    for (const one of all) if (one.record === record) priced(one, priceRub);
  };
  const drop = (one: Paying) => {
    const { booked } = one;
    // What an earlier attempt has reserved may have been charged.
    if (booked?.isAgain) return;
    all.delete(one);
    if (booked) trying((budget) => budget.release(booked.id));
  };
  const learnPrices = async () => {
    const records = [...all].flatMap(({ priceRub, record = [] }) => {
      return priceRub === undefined ? record : [];
    });
    if (records.length === 0 || signal.aborted) return;
    for (const [id, rub] of await pricesOf(hurried(), records)) settleRecord(id, rub);
  };
  const committedRub = () =>
    [...all].reduce((sum, { priceRub, mostRub }) => sum + (priceRub ?? mostRub), 0);

  const reserve: Spending['reserve'] = async (paid, request, retry) => {
    const { model, rub } = await priceLimit(asking, paid, request);
    const hint = paid === 'answer' ? shorterAnswer : '';
    const fits = () => committedRub() + rub <= maxCostRub + rubSlack;
    if (!fits()) await learnPrices().catch(() => undefined);
    if (!fits()) {
      const before = all.size === 0 ? '' : `, and those before it ${formatRub(committedRub())}`;
      const most = `${formatRub(rub)}${before}, more than ${ceiling} ${formatRub(maxCostRub)}`;
      const details = { code: 'max_cost', hint: `${hint}raise ${ceiling}` } as const;
      throw new PriceTooHigh(`this request may cost up to ${most}`, details);
    }
    const one: Paying = { mostRub: rub };
    all.add(one);
    try {
      const key = request.headers['idempotency-key'];
      const isOnce = retry === 'idempotent';
      if (hasBudget) one.booked = await book({ model, rub, key, isOnce, hint });
    } catch (error) {
      all.delete(one);
      throw error;
    }
    return {
      answered: (answer) => {
        const data = recordOf(recordOf(answer)['data']);
        const ids = idsIn(answer.headers, client.brand);
        // A job that fails may be refunded.
        one.record = textOf(data['jobId']) ?? ids['generation-id'] ?? ids['media-job-id'];
        const { amount, currency } = recordOf(data['charged']);
        const priceRub = currency === 'RUB' ? numberOf(amount) : priceIn(data);
        if (priceRub !== undefined) priced(one, priceRub);
      },
      failed: (isFree, error) => {
        const ids = error instanceof ApiError ? error.requestIds : {};
        // What has a usage record may have been charged.
        if (isFree && ids['generation-id'] === undefined) drop(one);
        one.record = ids['generation-id'] ?? ids['media-job-id'];
      },
    };
  };
  const book = async (asked: Parameters<Budget['reserve']>[0]) => {
    const { budget, owner } = await opened();
    const reserve = () => budget.reserve(asked, owner, clock.now());
    try {
      return reserve();
    } catch (error) {
      if (!(error instanceof PriceTooHigh)) throw error;
      await findLost().catch(() => undefined);
      return reserve();
    }
  };

  /** Finds the prices of requests whose outcome is unknown. */
  const findLost = async () => {
    const { budget } = await opened();
    const unsettled = budget.open();
    const gone = await abandoned(unsettled);
    const lost = gone.filter(
      ({ atMs, record }) => record !== null || clock.now() - atMs > justNowMs,
    );
    const known = lost.flatMap(({ record }) => record ?? []).slice(0, mostLost);
    const prices = await pricesOf(hurried(), known);
    const oldest = lost.find(({ record }) => record === null);
    const listed = oldest ? await recordsSince(oldest.atMs - justNowMs) : [];
    for (const one of lost) {
      // The record may be that of a live request for the same model.
      const isShared = unsettled.some(
        (other) => other.record === null && other.model === one.model && !lost.includes(other),
      );
      const isOwn = ({ id, model, createdAt }: UsageRecord) =>
        isSameModel(one.model, model ?? '') &&
        !(Date.parse(createdAt ?? '') < one.atMs - justNowMs) &&
        !budget.isClaimed(id);
      const found = isShared ? undefined : listed.find(isOwn);
      const record = one.record ?? found?.id ?? null;
      const priceRub = one.record === null ? found?.priceRub : prices.get(one.record);
      if (typeof priceRub === 'number') budget.settle(one.id, priceRub, record);
    }
  };
  /** The dearest first. */
  const recordsSince = async (fromMs: number) => {
    const { data } = await usagePage(hurried(), { fromMs }, { limit: historyPage.max });
    return data.toSorted((one, other) => (other.priceRub ?? 0) - (one.priceRub ?? 0));
  };

  const fit = async (body: object) => {
    const budgetRub = hasBudget ? (await opened()).budget.leftRub(clock.now()) : Infinity;
    const leftRub = Math.min(maxCostRub - committedRub(), budgetRub);
    const hint = `shorten the prompt, raise ${ceiling}, or see \`svc budget\``;
    return fittingTokens(asking, recordOf(body), leftRub, hint);
  };

  return {
    reserve,
    fit,
    settle: settleRecord,
    leftRub: () => trying((budget) => budget.leftRub(clock.now())),
    /** The budget's periods, and the requests whose outcome is unknown. */
    standing: async () => {
      const { budget } = await opened();
      await findLost().catch(() => undefined);
      return { periods: budget.periodsAt(clock.now()), unknown: await abandoned(budget.open()) };
    },
    /** Learns the prices that are still open; what cannot be learned stays reserved. */
    end: async (): Promise<void> => {
      if (!ready) return;
      await learnPrices().catch(() => undefined);
      for (const one of all) if (one.priceRub === undefined) settle(one, null);
      releaseOwner(ready.owner);
    },
  };
}

export function isSameModel(asked: string, recorded: string): boolean {
  // A search names no model.
  return isModelName(asked, [withoutChannel(recorded)]) || recorded.includes(asked);
}
