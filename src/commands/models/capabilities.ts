import type { Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityOf,
  fetchCapabilities,
  fetchEveryEntry,
  idsOf,
} from '../../api/media/capabilities.js';
import { modelFacts } from '../../api/model-facts.js';
import { priceWords } from '../../api/model-prices.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { isRecord, textOf, type JsonRecord } from '../../lib/json.js';
import { showFields, valueText } from '../fields.js';
import { unknownModel } from '../known-model.js';
import { showRest } from '../reply-table.js';
import type { capabilities } from './index.js';
import { chosen } from './listing.js';

/** Shows what media models take: a page, all of them, or one. */
export const run: Handler<typeof capabilities> = async (context, { args, options }) => {
  const { id } = args;
  const { all, page, limit, match } = options;
  refuseConflicts(id, options);
  const client = await context.client();
  if (id !== undefined) {
    await showOne(context, client, id);
    return;
  }
  const reply = all
    ? allOf(await fetchEveryEntry(client))
    : await capabilitiesPage(client, { page, pageSize: limit });
  const { models, ...rest } = reply;
  const read = models.map((entry) => ({ entry, facts: modelFacts(isRecord(entry) ? entry : {}) }));
  const fitting = chosen(read, { match, sort: undefined });
  if (context.flags.json) {
    await context.out.json({ ...reply, models: fitting.map(({ entry }) => entry) });
    return;
  }
  if (fitting.length === 0) context.out.note('no models');
  await context.out.table(
    columns,
    fitting.map(({ entry }) => (isRecord(entry) ? rowOf(entry) : [valueText(entry)])),
  );
  await showRest(context, rest);
};

function refuseConflicts(
  id: string | undefined,
  { all, page, limit }: { all?: boolean; page?: number; limit?: number },
): void {
  const paged = all === true || page !== undefined || limit !== undefined;
  const problem =
    id !== undefined && paged
      ? 'one model has no pages: leave out --all, --page and --limit'
      : all === true && page !== undefined
        ? '--all and --page cannot go together'
        : undefined;
  if (problem === undefined) return;
  throw new UsageError(problem, { code: 'usage', hint: 'svc models capabilities --help' });
}

function allOf(models: readonly unknown[]) {
  const total = models.length;
  return { models, pagination: { page: 1, pageSize: total, total, totalPages: 1 } };
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

const columns = [
  { title: 'MODEL' },
  { title: 'KIND' },
  { title: 'OPERATIONS' },
  { title: 'PRICE' },
  { title: 'AVAILABILITY' },
] as const;

function rowOf(entry: JsonRecord): string[] {
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
