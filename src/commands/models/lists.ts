/** Lists of models: chosen by words, in an order, as a table of what is understood. */
import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { modelFacts, type ModelFacts, priceRank, priceWords } from '../../api/model-facts.js';
import {
  catalogFacts,
  entriesIn,
  fetchCatalog,
  fetchMediaCatalog,
  pricingFacts,
} from '../../api/models.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { getPricing, listAllModels, listModels } from '../../contract/models.js';
import { isRecord, listOf, textOf } from '../../lib/json.js';
import { titles, type Column } from '../../terminal/types.js';
import { showFields, showRest, valueText } from '../fields.js';
import type * as declared from './index.js';

/** Lists the models, one line each. */
export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, out } = context;
  const client = await context.client();
  const { data } = await call(client, listModels, {
    query: {
      variants: options.variants ? '1' : undefined,
      all: options.all ? 'true' : undefined,
      type: options.type,
    },
  });
  const read = data.data.map((entry) => ({ entry, facts: modelFacts(entry) }));
  const models = chosen(await completed(context, client, read, options.sort), options);
  if (flags.json) return out.json({ ...data, data: models.map(({ entry }) => entry) });
  if (models.length === 0) out.note('no models');
  await out.table(modelColumns, models.map(modelRow));
};

/** Lists every model (section 4.10): whatever fields come. */
export const all: Handler<typeof declared.all> = async (context, { options }) => {
  const { data } = await call(await context.client(), listAllModels, {});
  await showModels(context, data, options, modelColumns, modelRow);
};

/** Shows the public catalog of text models; no key is needed, and none is sent. */
export const catalog: Handler<typeof declared.catalog> = async (context, { options }) => {
  const data = await fetchCatalog(await context.client({ key: 'optional' }));
  const columns = titles('MODEL', 'PRICE', '>CONTEXT', 'STORED', 'VARIANTS');
  await showModels(context, data, options, columns, ({ facts }) => [
    facts.id,
    priceWords(facts.amounts),
    facts.contextTokens?.toString() ?? '',
    storageWords(facts),
    variantsOf(facts),
  ]);
};

/** Shows the public catalog of media models; no key is needed, and none is sent. */
export const media: Handler<typeof declared.media> = async (context, { options }) => {
  const data = await fetchMediaCatalog(await context.client({ key: 'optional' }));
  const { flags, out } = context;
  // Section 2.11: what the catalog says of its own prices.
  if (!flags.json) {
    if (data['pricesArePlaceholder'] === true) out.warn('the prices are placeholders');
    else if (data['pricesAreEstimate'] === true) out.note('the prices are estimates');
    if (data['videoDisabled'] === true) out.warn('videos are switched off now');
  }
  const titles = ['MODEL', 'KIND', 'PRICE', 'VARIANTS', 'OPTIONS'];
  const columns = titles.map((title) => ({ title }));
  await showModels(context, data, options, columns, ({ facts }) => [
    facts.id,
    facts.type ?? '',
    priceWords(facts.amounts),
    variantsOf(facts),
    listOf(facts.rest['params'])
      .map((one) => textOf(one) ?? JSON.stringify(one))
      .join(', '),
  ]);
};

function variantsOf({ channels }: ModelFacts): string {
  return channels.map(({ id }) => id.split(':').at(-1) ?? id).join(', ');
}

/** Shows the prices of text models and of the calls of tools (section 4.2). */
export const pricing: Handler<typeof declared.pricing> = async (context, { options }) => {
  const { flags, out } = context;
  const { data } = await call(await context.client(), getPricing, {});
  const { data: priced, tools, ...rest } = data;
  const [listed, calls] = [priced, tools].map((list): Listed[] =>
    (entriesIn(list)?.entries ?? []).map((entry) => ({ entry, facts: modelFacts(entry) })),
  );
  const isUnknown = !listed?.length && !calls?.length;
  const chosenModels = chosen(listed ?? [], options);
  const chosenCalls = chosen(calls ?? [], options);
  if (isUnknown || (flags.json && isWhole(options))) return showFields(context, data);
  if (flags.json) {
    const entriesOf = (models: readonly Listed[]) => models.map(({ entry }) => entry);
    return out.json({ ...rest, data: entriesOf(chosenModels), tools: entriesOf(chosenCalls) });
  }
  if (chosenModels.length + chosenCalls.length === 0) out.note('no prices');
  const columns = titles('MODEL', 'TYPE', 'PRICE', 'OTHER');
  await out.table(columns, [
    ...chosenModels.map((one) => rowOf(one, '')),
    ...chosenCalls.map((one) => rowOf(one, 'tool')),
  ]);
};

/** What has no column of its own stands at the end, by name. */
function rowOf({ facts }: Listed, type: string): string[] {
  const { id, about, channels, rest } = facts;
  const other = { ...rest, ...(about === undefined ? {} : { about }) };
  return [
    id,
    facts.type ?? type,
    priceWords(facts.amounts),
    [
      ...channels.map((channel) => channel.id),
      ...Object.entries(other).map(([name, value]) => `${name}=${valueText(value)}`),
    ].join(' '),
  ];
}

/**
 * The same models with prices from the price list, or contexts from the catalog, where an order
 * by them was asked for and the list itself has none (section 2.6 does not show whether it has).
 */
async function completed(
  { out }: Context,
  client: Client,
  models: readonly Listed[],
  sort: Order | undefined,
): Promise<readonly Listed[]> {
  if (models.length === 0 || sort === undefined || sort === 'name') return models;
  const tells = ({ amounts, contextTokens }: ModelFacts) =>
    sort === 'price' ? amounts.length > 0 : contextTokens !== undefined;
  if (models.some(({ facts }) => tells(facts))) return models;
  const told = sort === 'price' ? await pricingFacts(client) : await catalogFacts(client);
  const byId = new Map(told.map((facts) => [facts.id, facts]));
  const filled = models.map((model) => {
    const found = byId.get(model.facts.id) ?? byId.get(model.facts.id.split(':')[0] ?? '');
    if (!found) return model;
    const { amounts, contextTokens } = found;
    return { ...model, facts: { ...model.facts, amounts, contextTokens } };
  });
  if (!filled.some(({ facts }) => tells(facts))) {
    out.warn(`the service tells no ${sort} of these models; they are sorted by name`);
  }
  return filled;
}

/** What holds no list of models is shown as it came; so is everything under --json. */
async function showModels(
  context: Context,
  data: unknown,
  choice: Choice,
  columns: readonly Column[],
  row: (model: Listed) => string[],
): Promise<void> {
  const { flags, out } = context;
  const found = entriesIn(data);
  if (!found) return showFields(context, data);
  const read = found.entries.map((entry) => ({ entry, facts: modelFacts(entry) }));
  const models = chosen(read, choice);
  if (flags.json) {
    const entries = models.map(({ entry }) => entry);
    return out.json(isWhole(choice) ? data : withEntries(data, entries));
  }
  if (models.length === 0) out.note('no models');
  await out.table(columns, models.map(row));
  await showRest(context, found.rest);
}

/** The reply with these in place of its list. */
function withEntries(data: unknown, entries: readonly unknown[]): unknown {
  if (!isRecord(data)) return entries;
  const name = Object.keys(data).find((key) => Array.isArray(data[key]));
  return name === undefined ? entries : { ...data, [name]: entries };
}

type Order = 'price' | 'context' | 'name';

/** An entry of a list, and what is understood of it. */
interface Listed {
  readonly entry: unknown;
  readonly facts: ModelFacts;
}

interface Choice {
  /** Each has to occur, in whatever letters. */
  readonly match: readonly string[];
  readonly sort: Order | undefined;
}

function isWhole({ match, sort }: Choice): boolean {
  return match.length === 0 && sort === undefined;
}

/** The models of that choice, in its order, or else in the order in which they came. */
export function chosen<One extends Listed>(models: readonly One[], { match, sort }: Choice): One[] {
  const words = match.map((word) => word.toLowerCase());
  const fitting = models.filter(({ entry }) => {
    const text = JSON.stringify(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return sort === undefined ? fitting : fitting.sort((one, other) => compare[sort](one, other));
}

const byName = ({ facts: one }: Listed, { facts: other }: Listed) =>
  one.id < other.id ? -1 : one.id > other.id ? 1 : 0;

const compare: Readonly<Record<Order, (one: Listed, other: Listed) => number>> = {
  name: byName,
  price: (one, other) => {
    const [group, rub] = priceRank(one.facts.amounts);
    const [otherGroup, otherRub] = priceRank(other.facts.amounts);
    return group - otherGroup || rub - otherRub || byName(one, other);
  },
  context: (one, other) =>
    (other.facts.contextTokens ?? 0) - (one.facts.contextTokens ?? 0) || byName(one, other),
};

const modelColumns = titles('MODEL', 'TYPE', 'PRICE', '>CONTEXT');

/** Cells for `modelColumns`. */
function modelRow({ facts }: Listed): string[] {
  const { id, type = '', amounts, contextTokens } = facts;
  return [id, type, priceWords(amounts), contextTokens?.toString() ?? ''];
}

/** One of three words. */
export function storageWords({ storedInRussia }: ModelFacts): string {
  if (storedInRussia === undefined) return 'not stated';
  return storedInRussia ? 'in Russia' : 'not in Russia';
}
