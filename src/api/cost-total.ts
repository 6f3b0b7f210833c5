/** What a great many calls cost together. */
import { listUsage } from '../contract/billing.js';
import { historyPage } from '../contract/limits.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { costOf, costOfAll, type Cost } from './cost.js';
import { numberedPages } from './pages.js';

/** Up to here their records are asked for one by one. */
const fewCalls = 20;
/** A page must not hold the person up for longer than this. */
const patienceMs = 5000;

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
  const hurried: Client = { ...client, deadlineMs: patienceMs };
  return numberedPages(
    async (page) => {
      const query = { page, limit: historyPage.max };
      const { data } = await call(hurried, listUsage, { query });
      return { items: data.data, total: data.total ?? undefined, limit: data.limit ?? undefined };
    },
    ({ id }) => id,
  );
}
