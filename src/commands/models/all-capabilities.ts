/** Shows what every media model takes while the pages still come, and keeps none of it. */
import type { Client } from '../../api/client.js';
import { everyEntry } from '../../api/media/capabilities.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, SvcError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { GrowingTable } from '../../terminal/table.js';
import { JsonList } from '../json-list.js';
import { showRest } from '../reply-table.js';
import { columns, rowOf } from './capability-row.js';

/**
 * @throws what `call` throws before the first is shown; Incomplete when a later page does not come,
 * or when the service tells of more models than it gives.
 */
export async function showAll(
  context: Context,
  client: Client,
  isWanted: (entry: unknown) => boolean,
): Promise<void> {
  const { out, flags, signal } = context;
  const list = flags.json ? new JsonList(out, 'models') : undefined;
  const table = new GrowingTable(columns);
  let beside: JsonRecord = {};
  let told: number | undefined;
  let total = 0;
  let shown = 0;
  const show = (entry: unknown) => {
    if (list) return list.write([entry]);
    const row = rowOf(entry);
    return out.isTerminal ? out.text(table.draw([row])) : out.table(columns, [row]);
  };
  try {
    const entries = everyEntry(client, (fields, all) => {
      beside = fields;
      told = all;
    });
    for await (const entry of entries) {
      total += 1;
      if (!isWanted(entry)) continue;
      shown += 1;
      await show(entry);
    }
  } catch (error) {
    if (!signal.aborted) await list?.breakOff();
    throw brokenOff(error, total);
  }
  if (told !== undefined && total < told) {
    await list?.breakOff();
    throw tooFew(total, told);
  }
  const pagination = { page: 1, pageSize: total, total, totalPages: 1 };
  if (list) {
    await list.end({ pagination, ...beside });
    return;
  }
  if (shown === 0) out.note('no models');
  await showRest(context, beside);
}

function tooFew(given: number, told: number): Incomplete {
  return new Incomplete(
    `the service tells of ${String(told)} models and gave ${String(given)} of them`,
    { code: 'models_missing', hint: 'run it again' },
  );
}

function brokenOff(error: unknown, given: number): unknown {
  if (given === 0 || !(error instanceof SvcError)) return error;
  return new Incomplete(`${error.message}; ${String(given)} models were given`, {
    code: error.code,
    hint: 'run it again',
    cause: error,
  });
}
