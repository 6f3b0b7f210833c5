/** What calls cost, requested afterwards: their usage records and the balance. */
import { getBalance, getUsageRecord } from '../contract/billing.js';
import { historyPage } from '../contract/limits.js';
import type { RequestIds } from '../errors.js';
import { sumRub } from '../lib/amounts.js';
import { numberOf, recordOf } from '../lib/json.js';
import { inParallel } from '../lib/parallel.js';
import { usageBatches } from './billing.js';
import { call } from './call.js';
import { withLimit, type Client } from './client.js';

export type Cost = Partial<Record<'priceRub' | 'balanceRub', number>> & {
  /** All its answers are from the cache: nothing was sent. */
  readonly cached?: true | undefined;
};

/** What a call cost is asked for no longer than this. */
export const costLimitMs = 3000;
const fewCalls = 20;
const atOnce = 4;

export async function costOf(client: Client, all: readonly RequestIds[]): Promise<Cost> {
  const sent = all.filter(({ cached }) => !cached);
  if (all.length > 0 && sent.length === 0) return { priceRub: 0, cached: true };
  const hurried = withLimit(client, costLimitMs);
  const sum = async () => {
    const ids = sent.flatMap(({ generationId = [] }) => generationId);
    if (ids.length === 0 || ids.length < sent.length) return undefined;
    const prices = await pricesOf(hurried, ids);
    for (const [id, priceRub] of prices) hurried.spending?.settle(id, priceRub);
    const known = ids.flatMap((id) => prices.get(id) ?? []);
    return known.length < ids.length ? undefined : sumRub(known);
  };
  const [priceRub, balance] = await Promise.all([
    sum().catch(() => undefined),
    call(hurried, getBalance, {}).catch(() => undefined),
  ]);
  return { priceRub, balanceRub: balance?.data.balance_rub };
}

/** The cost as --json has it, and beside it whether the answer is from the cache. */
export function costJson<Known extends Cost>({ cached, ...cost }: Known) {
  return { cost, cached };
}

/** The prices of the usage records that were found, by their ids. */
export async function pricesOf(
  client: Client,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const prices = new Map<string, number>();
  if (ids.length > fewCalls) await readPages(client, ids, prices);
  else {
    await inParallel(ids, atOnce, async (id) => {
      const priceRub = await priceOf(client, id).catch(() => undefined);
      if (priceRub !== undefined) prices.set(id, priceRub);
    });
  }
  return prices;
}

async function priceOf(client: Client, id: string): Promise<number | undefined> {
  const { data } = await call(client, getUsageRecord, { params: { id } });
  // Section 2.10 names priceRub; the wrapper of a single record is not shown.
  const { priceRub, data: inner } = recordOf(data);
  return numberOf(priceRub) ?? numberOf(recordOf(inner)['priceRub']);
}

/** From the newest record back, a hundred at a time. */
async function readPages(client: Client, ids: readonly string[], prices: Map<string, number>) {
  const missing = new Set(ids);
  // Other calls of the account may be among them.
  let patience = 2 * ids.length + historyPage.max;
  for await (const { records } of usageBatches(client, {}, historyPage.max)) {
    for (const { id, priceRub } of records) {
      if (missing.delete(id) && typeof priceRub === 'number') prices.set(id, priceRub);
      patience -= 1;
      if (missing.size === 0 || patience === 0) return;
    }
  }
}
