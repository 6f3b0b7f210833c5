import type { Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityOf,
  fetchCapabilities,
  idsOf,
  everyEntry,
} from '../../api/media/capabilities.js';
import { modelFacts, priceWords } from '../../api/model-facts.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError, Incomplete, SvcError } from '../../errors.js';
import { isRecord, type JsonRecord, textOf } from '../../lib/json.js';
import { GrowingTable } from '../../terminal/table.js';
import { titles } from '../../terminal/types.js';
import { showFields, valueText, showRest, JsonList } from '../fields.js';
import { unknownModel } from '../known-model.js';
import type { capabilities } from './index.js';
import { chosen } from './lists.js';

/** Shows what media models take: a page, all of them, or one. */
export const run: Handler<typeof capabilities> = async (context, { args, options }) => {
  const { id } = args;
  const { all, page, limit, match } = options;
  if (id !== undefined && (all || page !== undefined || limit !== undefined)) {
    throw new UsageError('one model has no pages: leave out --all, --page and --limit', {
      code: 'usage',
      hint: 'svc models capabilities --help',
    });
  }
  const client = await context.client();
  if (id !== undefined) return showOne(context, client, id);
  if (all) return showAll(context, client, (entry) => fitting([entry], match).length > 0);
  const reply = await capabilitiesPage(client, { page, pageSize: limit });
  const { models, ...rest } = reply;
  const shown = fitting(models, match);
  if (context.flags.json) return context.out.json({ ...reply, models: shown });
  if (shown.length === 0) context.out.note('no models');
  await context.out.table(columns, shown.map(rowOf));
  await showRest(context, rest);
};

function fitting(entries: readonly unknown[], match: readonly string[]): unknown[] {
  const read = entries.map((entry) => ({ entry, facts: modelFacts(isRecord(entry) ? entry : {}) }));
  return chosen(read, { match, sort: undefined }).map(({ entry }) => entry);
}

async function showOne(context: Context, client: Client, id: string): Promise<void> {
  const models = await fetchCapabilities(client);
  const found = capabilityOf(models, id);
  if (!found) {
    const names = models.flatMap((model) => idsOf(model).slice(0, 1));
    throw unknownModel(id, names, 'see which there are: `svc models capabilities --all`');
  }
  await showFields(context, found.entry);
}

/**
 * @throws what `call` throws before the first is shown; Incomplete when a later page does not come,
 * or when the service tells of more models than it gives.
 */
async function showAll(
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
  if (list) return list.end({ pagination, ...beside });
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

const columns = titles('MODEL', 'KIND', 'OPERATIONS', 'PRICE', 'AVAILABILITY');

/** Cells for `columns`; what is no object is shown as it came. */
function rowOf(entry: unknown): string[] {
  if (!isRecord(entry)) return [valueText(entry)];
  const facts = modelFacts(entry);
  const operations = capabilityOf([entry], facts.id)?.operations ?? [];
  return [
    facts.id,
    facts.type ?? '',
    operations.flatMap(({ name }) => name ?? []).join(', '),
    priceWords(facts.amounts),
    textOf(entry['availability']) ?? '',
  ];
}
