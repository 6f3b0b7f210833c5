/** What a call cost, asked after it: its usage record and the balance. */
import { getBalance } from '../contract/balance.js';
import { getUsageRecord } from '../contract/billing.js';
import { numberOf, recordOf } from '../lib/json.js';
import { inParallel } from '../lib/parallel.js';
import { call } from './call.js';
import type { Client } from './client.js';

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
