/** What calls cost, requested afterwards: their usage records and the balance. */
import { getBalance, getUsageRecord, listUsage } from '../contract/billing.js';
import { historyPage } from '../contract/limits.js';
import { numberOf, recordOf } from '../lib/json.js';
import { inParallel } from '../lib/parallel.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { freshPages } from './pages.js';

export type Cost = Partial<Record<'priceRub' | 'balanceRub', number>>;

const timeLimitMs = 3000;
const pageTimeLimitMs = 5000;
const fewCalls = 20;
const atOnce = 4;

export async function costOf(
  client: Client,
  generationIds: readonly (string | undefined)[],
): Promise<Cost> {
  const hurried: Client = { ...client, deadlineMs: timeLimitMs };
  const [priceRub, balance] = await Promise.all([
    sumOf(hurried, generationIds).catch(() => undefined),
    call(hurried, getBalance, {}).catch(() => undefined),
  ]);
  return { priceRub, balanceRub: balance?.data.balance_rub };
}

/** Requests nothing where the cost is not shown, or where there were no calls. */
export async function totalCost(
  client: Client,
  generationIds: readonly (string | undefined)[],
  isWanted: boolean,
): Promise<Cost> {
  return isWanted && generationIds.length > 0 ? costOf(client, generationIds) : {};
}

async function sumOf(
  client: Client,
  generationIds: readonly (string | undefined)[],
): Promise<number | undefined> {
  const ids = generationIds.filter((id) => id !== undefined);
  if (ids.length === 0 || ids.length < generationIds.length) return undefined;
  if (ids.length > fewCalls) return sumOfPages(client, ids);
  const prices = await inParallel(ids, atOnce, async (id) => {
    const { data } = await call(client, getUsageRecord, { params: { id } });
    // Section 2.10 names priceRub; the wrapper of a single record is not shown.
    const { priceRub, data: inner } = recordOf(data);
    return numberOf(priceRub) ?? numberOf(recordOf(inner)['priceRub']) ?? NaN;
  });
  const total = prices.reduce((sum, price) => sum + price, 0);
  return Number.isNaN(total) ? undefined : total;
}

/** From the newest record back, a hundred at a time; undefined when one is missing. */
async function sumOfPages(client: Client, ids: readonly string[]): Promise<number | undefined> {
  const hurried: Client = { ...client, deadlineMs: pageTimeLimitMs };
  const page = async (number: number) => {
    const query = { page: number, limit: historyPage.max };
    const { data } = await call(hurried, listUsage, { query });
    return { items: data.data, total: data.total ?? undefined, limit: data.limit ?? undefined };
  };
  const wanted = new Set(ids);
  // Other calls of the account may be among them.
  let patience = 2 * ids.length + historyPage.max;
  let sum = 0;
  for await (const records of freshPages(page, ({ id }) => id)) {
    for (const { id, priceRub } of records) {
      if (wanted.delete(id)) sum += priceRub ?? 0;
      patience -= 1;
      if (wanted.size === 0) return sum;
      if (patience === 0) return undefined;
    }
  }
  return undefined;
}
