/** Requests that were sent and have no answer: which of them were certainly not charged. */
import { statSync } from 'node:fs';
import { usageBatches, type UsageRecord } from '../api/billing.js';
import type { Client } from '../api/client.js';
import type { Context } from '../context.js';
import { historyPage } from '../contract/limits.js';
import { timeoutsFor } from '../http/deadline.js';
import { recordLagMs, isSameModel } from '../spending/lost.js';
import { formatRub } from '../lib/amounts.js';
import { parsedJson, recordOf, textOf } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { IdTable } from './ids.js';
import type { BatchRequest } from './request.js';
import { journalOf } from './output-name.js';
import { partsOf } from './output-line.js';
import { eachLine } from './results.js';

const maxNames = 10;

/**
 * Looks in the usage records; without a complete list, nothing is free.
 * @returns those that may be sent again without paying twice, and the records
 * that no answer claims: each may be the charge of one of the others.
 */
export async function findCharged(
  client: Client,
  unanswered: readonly BatchRequest[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  isClaimed: (generationId: string) => boolean,
) {
  const ageMs = client.clock.now() - untilMs;
  const settled = unanswered.filter(({ row }) => {
    const { firstByteMs } = timeoutsFor(row.slow ?? row.stream !== undefined, client.timeouts);
    // It may still be processed as long as svc itself would wait for it.
    return firstByteMs > 0 && ageMs > firstByteMs + recordLagMs;
  });
  const free = new Set(settled.map(({ model }) => model));
  const models = [...free];
  const records: UsageRecord[] = [];
  if (settled.length === 0) return { free: [], records };
  try {
    const range = { fromMs: fromMs - recordLagMs };
    for await (const batch of usageBatches(client, range, historyPage.max)) {
      for (const record of batch.records) {
        const charged = models.filter(
          (name = '') =>
            !record.model || isSameModel(name, record.model) || isSameModel(record.model, name),
        );
        if (charged.length === 0 || isClaimed(record.id)) continue;
        records.push(record);
        for (const model of charged) free.delete(model);
      }
      // More records say nothing more.
      if (free.size === 0 && records.length >= settled.length) break;
    }
  } catch {
    return { free: [], records };
  }
  return { free: settled.filter(({ model }) => free.has(model)), records };
}

/**
 * Those that are sent again: what was certainly not charged, and the others where the user wants it.
 * @throws UsageError where it cannot be asked
 */
export async function requestsToResend(
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
    const own = recordOf(
      parsedJson(`{"cost":{"priceRub":${bytes.toString('utf8', costAt, to - 1)}`),
    );
    const id = textOf(recordOf(own['ids'])['generationId']);
    if (id !== undefined) claimed.setState(claimed.placeOf(id), 'done');
  });
  const { free, records } = await findCharged(client, unknown, sentPeriod(output, ids), isClaimed);
  const others = unknown.length - free.length;
  const rub = records.reduce((sum, { priceRub }) => sum + (priceRub ?? 0), 0);
  const words = `${records.length} usage records without an answer, ${formatRub(rub)} in all`;
  if (records.length > 0) out.note(`${words}: ${firstNames(records.map(({ id }) => id))}`);
  if (how === 'ask' && others > 0) {
    const message = `${others} of the requests may have been charged without an answer. Send again?`;
    if (await prompts.confirm({ message, default: false })) return unknown;
  }
  return free;
}

/** From the mark in the journal before the first of them until the journal was last written. */
function sentPeriod(output: string, ids: IdTable) {
  const journal = journalOf(output);
  let markMs = 0;
  let fromMs = Infinity;
  eachLine(journal, (bytes, from, to) => {
    if (bytes[from] === 0x40) markMs = parseInt(bytes.toString('latin1', from + 1, to), 10);
    if (bytes[from] !== 0x2b || ids.state(ids.place(bytes, from + 18, to)) !== 'sent') return;
    fromMs = Math.min(fromMs, markMs);
  });
  return { fromMs, untilMs: statSync(journal).mtimeMs };
}

/** So many as fit in a message. */
export function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => plainText(name, 80));
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : '';
  return `${shown.join(', ')}${more}`;
}
