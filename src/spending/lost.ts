/** Finds the prices of requests whose outcome is unknown: their process has ended without it. */
import { usagePage, type UsageRecord } from '../api/billing.js';
import { withLimit, type Client } from '../api/client.js';
import { costLimitMs, pricesOf } from '../api/cost.js';
import { isModelName, withoutChannel } from '../api/models.js';
import { historyPage } from '../contract/limits.js';
import { abandoned } from '../files/owner.js';
import type { Budget } from './budget.js';

/** A usage record may be listed this late, and the clock of the service be off by as much. */
export const recordLagMs = 30_000;
const maxLost = 20;

/** Settles those in the budget that a usage record is found for. */
export async function settleLost(budget: Budget, client: Client): Promise<void> {
  const unsettled = budget.unsettled();
  const ended = await abandoned(unsettled);
  const nowMs = client.clock.now();
  const lost = ended.filter(({ atMs, record }) => record !== null || nowMs - atMs > recordLagMs);
  const known = lost.flatMap(({ record }) => record ?? []).slice(0, maxLost);
  const prices = await pricesOf(withLimit(client, costLimitMs), known);
  const oldest = lost.find(({ record }) => record === null);
  const listed = oldest ? await recordsSince(client, oldest.atMs - recordLagMs) : [];
  for (const one of lost) {
    // The record may be that of a live request for the same model.
    const isShared = unsettled.some(
      (other) => other.record === null && other.model === one.model && !lost.includes(other),
    );
    const isOwn = ({ id, model, createdAt }: UsageRecord) =>
      isSameModel(one.model, model ?? '') &&
      !(Date.parse(createdAt ?? '') < one.atMs - recordLagMs) &&
      !budget.isClaimed(id);
    const match = isShared ? undefined : listed.find(isOwn);
    const priceRub = one.record === null ? match?.priceRub : prices.get(one.record);
    if (typeof priceRub === 'number') budget.settle(one.id, priceRub, one.record ?? match?.id);
  }
}

/** The dearest first. */
async function recordsSince(client: Client, fromMs: number): Promise<UsageRecord[]> {
  const { data } = await usagePage(
    withLimit(client, costLimitMs),
    { fromMs },
    { limit: historyPage.max },
  );
  return data.toSorted((one, other) => (other.priceRub ?? 0) - (one.priceRub ?? 0));
}

export function isSameModel(requested: string, recorded: string): boolean {
  // A search names no model.
  return isModelName(requested, [withoutChannel(recorded)]) || recorded.includes(requested);
}
