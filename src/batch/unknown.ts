/** Requests that were sent and have no answer: which of them were certainly not charged. */
import { usageBatches, type UsageRecord } from '../api/billing.js';
import type { Client } from '../api/client.js';
import { historyPage } from '../contract/limits.js';
import { timeoutsFor } from '../http/deadline.js';
import { isSameModel, justNowMs } from '../jobs/spending.js';
import type { BatchRequest } from './request.js';

/** Sent between the two times, as far as the journal knows. */
export interface Unanswered extends Pick<BatchRequest, 'id' | 'model' | 'row'> {
  readonly sentAfterMs: number;
  readonly sentBeforeMs: number;
}

/**
 * Looks in the usage records; without a complete list, nothing is free.
 * @returns the custom_ids of those that may be sent again without paying twice, and the records
 * that no answer claims: each may be the charge of one of the others.
 */
export async function findCharged(
  client: Client,
  unanswered: readonly Unanswered[],
  isClaimed: (generationId: string) => boolean,
): Promise<{ readonly free: readonly string[]; readonly records: readonly UsageRecord[] }> {
  const settled = unanswered.filter(({ row, sentBeforeMs }) => {
    const isSlow = row.slow ?? row.stream !== undefined;
    const { firstByteMs } = timeoutsFor(isSlow, client.timeouts);
    // It may still be processed as long as svc itself would wait for it.
    return firstByteMs > 0 && client.clock.now() - sentBeforeMs > firstByteMs + justNowMs;
  });
  const records: UsageRecord[] = [];
  const charged = new Set<string | undefined>();
  const fromMs = Math.min(...settled.map(({ sentAfterMs }) => sentAfterMs)) - justNowMs;
  const models = new Set(settled.map(({ model }) => model));
  if (models.size === 0) return { free: [], records };
  try {
    for await (const batch of usageBatches(client, { fromMs }, historyPage.max)) {
      for (const record of batch.records) {
        const itsModels = isClaimed(record.id)
          ? []
          : [...models].filter((one) => isOf(record, one));
        for (const model of itsModels) charged.add(model);
        if (itsModels.length > 0) records.push(record);
      }
      // More records say nothing more.
      if (charged.size === models.size && records.length >= settled.length) break;
    }
  } catch {
    return { free: [], records };
  }
  return { free: settled.flatMap(({ id, model }) => (charged.has(model) ? [] : id)), records };
}

/** In doubt it is. A search names no model. */
function isOf({ model }: UsageRecord, asked = ''): boolean {
  return !model || isSameModel(asked, model) || isSameModel(model, asked);
}
