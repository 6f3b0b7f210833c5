/** Finds the prices of requests whose outcome is unknown: their process has ended without it. */
import { usageBatches, type UsageRecord } from '../api/billing.js';
import { withLimit, type Client } from '../api/client.js';
import { costLimitMs, pricesOf } from '../api/cost.js';
import { isModelName, withoutChannel } from '../api/models.js';
import { historyPage } from '../contract/limits.js';
import { abandoned } from '../files/owner.js';
import type { Budget } from './budget.js';

/** A usage record may be listed this late, and the clock of the service be off by as much. */
export const recordLagMs = 30_000;
/** How much is looked at: at most so many requests, and so many pages of the history. */
interface Search {
  readonly maxLost: number;
  readonly maxPages: number;
}

const quick: Search = { maxLost: 20, maxPages: 1 };
/** A program may have left many behind, and many others may have come since. */
export const thorough: Search = { maxLost: 1000, maxPages: 20 };

/** Settles those in the budget that a usage record is found for. */
export async function settleLost(
  budget: Budget,
  client: Client,
  { maxLost, maxPages } = quick,
): Promise<void> {
  const unsettled = budget.unsettled();
  const ended = await abandoned(unsettled);
  const nowMs = client.clock.now();
  const lost = ended.filter(({ atMs, record }) => record !== null || nowMs - atMs > recordLagMs);
  const known = lost.flatMap(({ record }) => record ?? []).slice(0, maxLost);
  const prices = await pricesOf(withLimit(client, costLimitMs), known);
  const oldest = lost.find(({ record }) => record === null);
  const fromMs = oldest && oldest.atMs - recordLagMs;
  const listed = fromMs === undefined ? [] : await recordsSince(client, fromMs, maxPages);
  const free = new Set(listed.filter(({ id }) => !budget.isClaimed(id)));
  for (const one of lost) {
    // The record may be that of a live request for the same model.
    const isShared = unsettled.some(
      (other) => other.record === null && other.model === one.model && !lost.includes(other),
    );
    const isOwn = ({ model, createdAt }: UsageRecord) =>
      isSameModel(one.model, model ?? '') &&
      !(Date.parse(createdAt ?? '') < one.atMs - recordLagMs);
    const match = isShared || one.record !== null ? undefined : Array.from(free).find(isOwn);
    if (match) free.delete(match);
    const priceRub = one.record === null ? match?.priceRub : prices.get(one.record);
    if (typeof priceRub === 'number') budget.settle(one.id, priceRub, one.record ?? match?.id);
  }
}

/** The dearest of the newest ones first. */
async function recordsSince(
  client: Client,
  fromMs: number,
  maxPages: number,
): Promise<UsageRecord[]> {
  const all: UsageRecord[] = [];
  let pages = 0;
  const hurried = withLimit(client, costLimitMs);
  for await (const { records } of usageBatches(hurried, { fromMs }, historyPage.max)) {
    all.push(...records);
    if ((pages += 1) >= maxPages) break;
  }
  return all.sort((one, other) => (other.priceRub ?? 0) - (one.priceRub ?? 0));
}

export function isSameModel(requested: string, recorded: string): boolean {
  // A search names no model.
  return isModelName(requested, [withoutChannel(recorded)]) || recorded.includes(requested);
}
