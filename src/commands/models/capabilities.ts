import type { Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityOf,
  fetchCapabilities,
  idsOf,
  everyEntry,
} from '../../api/media/capabilities.js';
import { modelFacts, priceWords } from '../../api/model-facts.js';
import { brokenOff, tooFew } from '../../api/pages.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { isRecord, type JsonRecord, textOf } from '../../lib/json.js';
import { titles } from '../../terminal/types.js';
import { showFields, valueText, showRest } from '../fields.js';
import { writeJson, writeRows } from '../listing.js';
import { unknownModel } from '../known-model.js';
import type { capabilities } from './index.js';
import { chosen, listed } from './lists.js';

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
  if (all) return showAll(context, client, match);
  const reply = await capabilitiesPage(client, { page, pageSize: limit });
  const { models, ...rest } = reply;
  const shown = fitting(models, match);
  if (context.flags.json) return context.out.json({ ...reply, models: shown });
  if (shown.length === 0) context.out.note('no models');
  await context.out.table(columns, shown.map(rowOf));
  await showRest(context, rest);
};

function fitting(entries: readonly unknown[], match: readonly string[]): unknown[] {
  return chosen(listed(entries), { match, sort: undefined }).map(({ entry }) => entry);
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
 * Every entry that is wanted, one at a time, and then what stands beside them.
 * @throws what `call` throws before the first is shown; Incomplete when a later page does not come,
 * or when the service tells of more models than it gives.
 */
async function showAll(context: Context, client: Client, match: readonly string[]): Promise<void> {
  let beside: JsonRecord = {};
  let reported: number | undefined;
  let total = 0;
  async function* wanted() {
    const entries = everyEntry(client, (fields, all) => {
      beside = fields;
      reported = all;
    });
    try {
      for await (const entry of entries) {
        total += 1;
        yield fitting([entry], match);
      }
    } catch (error) {
      throw total === 0 ? error : brokenOff(error, `${total} models`);
    }
    if (reported !== undefined && total < reported) throw tooFew('models', total, reported);
  }
  if (context.flags.json) {
    const after = () => {
      const pagination = { page: 1, pageSize: total, total, totalPages: 1 };
      return { pagination, ...beside };
    };
    return writeJson(context, wanted(), 'models', { after });
  }
  await writeRows(context, wanted(), { columns, row: rowOf, empty: 'no models' });
  await showRest(context, beside);
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
