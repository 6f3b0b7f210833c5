/** Requests that were sent and have no answer: which of them were certainly not charged. */
import { statSync } from 'node:fs';
import { usageBatches, type UsageRecord } from '../api/billing.js';
import type { Client } from '../api/client.js';
import type { Context } from '../cli/context.js';
import { historyPage } from '../contract/limits.js';
import { timeoutsFor } from '../http/deadline.js';
import { isSameModel, justNowMs } from '../jobs/spending.js';
import { formatRub } from '../lib/amounts.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { IdTable } from './ids.js';
import type { BatchRequest } from './request.js';
import { eachLine, journalOf, partsOf } from './results.js';

const mostNamed = 10;

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

/**
 * Those that are sent again: what was certainly not charged, and the others where the user wants it.
 * @throws UsageError where it cannot be asked
 */
export async function sentAgain(
  { out, prompts }: Pick<Context, 'out' | 'prompts'>,
  client: Client,
  { how, ids, output }: { how: 'skip' | 'retry' | 'ask'; ids: IdTable; output: string },
  unknown: readonly BatchRequest[],
): Promise<readonly BatchRequest[]> {
  if (unknown.length === 0 || how === 'retry') return unknown;
  const claimed = new IdTable();
  const isClaimed = (id: string) => claimed.state(claimed.placeOf(id)) === 'done';
  eachLine(output, (bytes, from, to) => {
    const { costAt } = partsOf(output, bytes, from, to);
    const own = recordOf(parsedJson(`{"cost_rub":${bytes.toString('utf8', costAt, to - 1)}`));
    const id = textOf(own['generation_id']);
    if (id !== undefined) claimed.setState(claimed.placeOf(id), 'done');
  });
  const times = sentTimes(output, ids);
  const unanswered = unknown.map((one) => {
    const [sentAfterMs = 0, sentBeforeMs = Infinity] = times.get(ids.placeOf(one.id)) ?? [];
    return { ...one, sentAfterMs, sentBeforeMs };
  });
  const { free, records } = await findCharged(client, unanswered, isClaimed);
  const others = unknown.length - free.length;
  const rub = records.reduce((sum, { priceRub }) => sum + (priceRub ?? 0), 0);
  const named = records.slice(0, mostNamed).map(({ id }) => plainText(id, 80));
  const more = records.length > mostNamed ? `, and ${records.length - mostNamed} more` : '';
  const words = `usage records without an answer, ${formatRub(rub)} in all`;
  if (named.length > 0) out.note(`${words}: ${named.join(', ')}${more}`);
  if (how === 'ask' && others > 0) {
    const message = `${others} of the requests may have been charged without an answer. Send again?`;
    if (await prompts.confirm({ message, default: false })) return unknown;
  }
  const isFree = new Set(free);
  return unknown.filter(({ id }) => isFree.has(id));
}

/** Between which marks of the journal each request without an answer was sent. */
function sentTimes(output: string, ids: IdTable): ReadonlyMap<number, [number, number]> {
  const times = new Map<number, [number, number]>();
  const journal = journalOf(output);
  const { mtimeMs } = statSync(journal);
  let open: [number, number][] = [];
  let markMs = 0;
  eachLine(journal, (bytes, from, to) => {
    if (bytes[from] === 0x40) {
      markMs = parseInt(bytes.toString('latin1', from + 1, to), 10);
      for (const time of open) time[1] = markMs;
      open = [];
    } else if (bytes[from] === 0x2b) {
      const at = ids.place(bytes, from + 18, to);
      if (ids.state(at) !== 'sent') return;
      const time: [number, number] = [markMs, mtimeMs];
      times.set(at, time);
      open.push(time);
    }
  });
  return times;
}
