/** What calls cost, asked after them: their usage records and the balance. */
import { getBalance, getUsageRecord, listUsage } from '../contract/billing.js';
import { numberOf, recordOf } from '../lib/json.js';
import { inParallel } from '../lib/parallel.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { historyPage } from '../contract/limits.js';
import { numberedPages } from './pages.js';

export interface Cost {
  priceRub?: number;
  balanceRub?: number;
}

/** Telling the cost must not hold the person up for longer than this. */
const patienceMs = 3000;

/**
 * Never rejects: the answer is there already, and what cannot be told is left out.
 * @param generationId from the x-svc-generation-id header; without it only the balance is told.
 */
export async function costOf(client: Client, generationId: string | undefined): Promise<Cost> {
  const hurried: Client = { ...client, deadlineMs: patienceMs };
  const [priceRub, balanceRub] = await Promise.all([
    generationId === undefined ? undefined : priceOf(hurried, generationId),
    call(hurried, getBalance, {}).then(
      (reply) => reply.data.balance_rub,
      () => undefined,
    ),
  ]);
  return { priceRub, balanceRub };
}

/**
 * What several calls cost together. Never rejects; a price that cannot be told leaves the sum out.
 * @param generationIds one for each call.
 */
export async function costOfAll(
  client: Client,
  generationIds: readonly (string | undefined)[],
): Promise<Cost> {
  const [first, ...others] = generationIds;
  if (others.length === 0) return costOf(client, first);
  const hurried: Client = { ...client, deadlineMs: patienceMs };
  const [prices, { balanceRub }] = await Promise.all([
    inParallel(generationIds, 4, async (id) =>
      id === undefined ? undefined : priceOf(hurried, id),
    ),
    costOf(client, undefined),
  ]);
  const known = prices.filter((price) => price !== undefined);
  const sum = known.reduce((total, price) => total + price, 0);
  return { priceRub: known.length === prices.length ? sum : undefined, balanceRub };
}

/** Section 2.10 names priceRub; the wrapper of a single record is not shown. */
async function priceOf(client: Client, id: string): Promise<number | undefined> {
  try {
    const { data } = await call(client, getUsageRecord, { params: { id } });
    const record = recordOf(data);
    return numberOf(record['priceRub']) ?? numberOf(recordOf(record['data'])['priceRub']);
  } catch {
    return undefined;
  }
}

/** Up to here their records are asked for one by one. */
const fewCalls = 20;
/** A page must not hold the person up for longer than this. */
const costPatienceMs = 5000;

/**
 * Never rejects: the work is done, and what cannot be told is left out.
 * @param generationIds one for each call; undefined where a reply named none.
 * @param wanted false when nobody will see it: asking takes calls of its own.
 */
export async function totalCost(
  client: Client,
  generationIds: readonly (string | undefined)[],
  wanted: boolean,
): Promise<Cost> {
  if (!wanted || generationIds.length === 0) return {};
  if (generationIds.length <= fewCalls) return costOfAll(client, generationIds);
  const [priceRub, { balanceRub }] = await Promise.all([
    summed(client, generationIds).catch(() => undefined),
    costOf(client, undefined),
  ]);
  return { priceRub, balanceRub };
}

/** From the newest records back, a hundred at a time; undefined when one is not among them. */
async function summed(
  client: Client,
  generationIds: readonly (string | undefined)[],
): Promise<number | undefined> {
  const wanted = new Set(generationIds.filter((id) => id !== undefined));
  if (wanted.size < generationIds.length) return undefined;
  // Other calls of the account may lie between them.
  let patience = 2 * generationIds.length + historyPage.max;
  let sum = 0;
  for await (const { id, priceRub } of records(client)) {
    if (wanted.delete(id)) sum += priceRub ?? 0;
    patience -= 1;
    if (wanted.size === 0) return sum;
    if (patience === 0) return undefined;
  }
  return undefined;
}

function records(client: Client) {
  const hurried: Client = { ...client, deadlineMs: costPatienceMs };
  return numberedPages(
    async (page) => {
      const query = { page, limit: historyPage.max };
      const { data } = await call(hurried, listUsage, { query });
      return { items: data.data, total: data.total ?? undefined, limit: data.limit ?? undefined };
    },
    ({ id }) => id,
  );
}
