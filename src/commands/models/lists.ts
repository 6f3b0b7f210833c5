import { call } from '../../api/call.js';
import { withLimit, type Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityPages,
  capabilityOf,
  fetchCapabilities,
  idsOf,
} from '../../api/media/capabilities.js';
import { modelFacts, type ModelFacts, priceRank } from '../../api/model-facts.js';
import {
  catalogEntries,
  entriesIn,
  fetchCatalog,
  fetchMediaCatalog,
  pricingFacts,
  withoutChannel,
} from '../../api/models.js';
import { brokenOff, tooFew } from '../../api/pages.js';
import type { Context, Handler } from '../../context.js';
import type { InputOf } from '../../command.js';
import { getPricing, listAllModels, listModels } from '../../contract/models.js';
import { UsageError } from '../../errors.js';
import { recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { folded } from '../../lib/names.js';
import { showFields } from '../fields.js';
import { unknownModel } from '../../jobs/known-model.js';
import { noteRest, rememberModels, writeList } from '../listing.js';
import { showCapability } from './capability.js';
import { ofMedia, type Listed, plain, prices, type Titles, viewOf } from './columns.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, out } = context;
  const { variants, all, type, sort } = options;
  const client = await context.client();
  const query = { variants: variants ? '1' : undefined, all: all ? 'true' : undefined, type };
  const { data } = await call(client, listModels, { query });
  const models = chosen(await completed(context, client, listed(data.data), sort), options);
  const shown = models.map(({ facts }) => facts);
  await rememberModels(context, client, shown);
  const every = context.commandHint('`svc models list --all` lists every type');
  const empty = type === undefined ? 'no models' : `no models of the type "${type}"; ${every}`;
  const json = { ...data, data: models.map(entryOf) };
  await writeList(context, { ...viewOf(context, ...plain), empty }, { items: models, json });
  if (flags.json || !out.isTerminal || all || type !== undefined) return;
  const asking = call(withLimit(client, 3000), listModels, { query: { ...query, all: 'true' } });
  const whole = await asking.catch(() => undefined);
  const left = (whole?.data.data.length ?? 0) - data.data.length;
  const what = left === 1 ? '1 media model is' : `${left} media models are`;
  if (left > 0) out.note(context.commandHint(`${what} not shown: svc models list --all`));
};

export const all: Handler<typeof declared.all> = async (context, { options }) => {
  const { data } = await call(await context.client(), listAllModels, {});
  await showModels(context, data, options, plain);
};

export const catalog: Handler<typeof declared.catalog> = async (context, { options }) => {
  const data = await fetchCatalog(await context.client({ key: 'optional' }));
  const shown = ['MODEL', ...prices, 'CONTEXT', 'STORED', 'VARIANTS'] as const;
  await showModels(context, data, options, shown);
};

export const media: Handler<typeof declared.media> = async (context, { options }) => {
  const data = await fetchMediaCatalog(await context.client({ key: 'optional' }));
  const { flags, out } = context;
  // Section 2.11: what the catalog says of its own prices.
  if (!flags.json) {
    if (data['pricesArePlaceholder'] === true) out.warn('the prices are placeholders');
    else if (data['pricesAreEstimate'] === true) out.note('the prices are estimates');
    if (data['videoDisabled'] === true) out.warn('video models are currently unavailable');
  }
  const shown = ['MODEL', 'KIND', 'PRICE', 'UNIT', 'VARIANTS', 'OPTIONS'] as const;
  await showModels(context, data, options, shown);
};

export const pricing: Handler<typeof declared.pricing> = async (context, { options }) => {
  const { flags, out } = context;
  const { data } = await call(await context.client(), getPricing, {});
  const { data: priced, tools, ...rest } = data;
  const [models = [], calls = []] = [priced, tools].map((one) =>
    listed(entriesIn(one)?.entries ?? []),
  );
  const isUnknown = models.length + calls.length === 0;
  if (isUnknown || (flags.json && isWhole(options))) return showFields(context, data);
  const shown = chosen(models, options);
  const left = options.limit === undefined ? undefined : options.limit - shown.length;
  const shownCalls = chosen(calls, { ...options, limit: left });
  const json = { ...rest, data: shown.map(entryOf), tools: shownCalls.map(entryOf) };
  for (const { facts } of shownCalls) facts.type ??= 'tool';
  for (const { facts } of out.isTerminal ? shown : []) {
    const { variant, ...rest } = facts.rest;
    if (!textOf(variant)?.startsWith(':')) continue;
    facts.id += String(variant);
    facts.rest = rest;
  }
  const view = { ...viewOf(context, 'MODEL', 'TYPE', ...prices, 'OTHER'), empty: 'no prices' };
  await writeList(context, view, { items: [...shown, ...shownCalls], json });
};

export const capabilities: Handler<typeof declared.capabilities> = async (
  context,
  { args: { id }, options },
) => {
  const { all, page, limit, match } = options;
  if (id !== undefined && (all || page !== undefined || limit !== undefined)) {
    throw new UsageError('one model has no pages: omit --all, --page and --limit', {
      hint: 'svc models capabilities --help',
    });
  }
  const client = await context.client();
  if (id !== undefined) {
    const models = await fetchCapabilities(client);
    const capability = capabilityOf(models, id);
    if (capability) return showCapability(context, capability);
    const names = models.flatMap((model) => idsOf(model).slice(0, 1));
    throw unknownModel(id, names, 'see which there are: `svc models capabilities --all`');
  }
  const choice = { match, sort: undefined, limit: undefined };
  if (all) return showAll(context, client, choice);
  const reply = await capabilitiesPage(client, { page, pageSize: limit });
  const { models, pagination } = reply;
  const shown = chosen(listed(models), choice);
  const json = { ...reply, models: shown.map(entryOf) };
  await writeList(context, viewOf(context, ...ofMedia), { items: shown, json });
  const { pageSize, ...where } = pagination ?? {};
  if (!context.flags.json) noteRest(context, models.length, { limit: pageSize, ...where });
};

async function showAll(context: Context, client: Client, choice: Choice): Promise<void> {
  let beside: JsonRecord = {};
  let reported = 0;
  let total = 0;
  async function* pages() {
    const every = capabilityPages(client, (fields, all = 0) => {
      beside = fields;
      reported = all;
    });
    try {
      for await (const entries of every) {
        total += entries.length;
        yield chosen(listed(entries), choice);
      }
    } catch (error) {
      throw total === 0 ? error : brokenOff(error, `${total} models`);
    }
    if (total < reported) throw tooFew('models', total, reported);
  }
  const after = () => {
    return { pagination: { page: 1, pageSize: total, total, totalPages: 1 }, ...beside };
  };
  const view = viewOf(context, ...ofMedia);
  await writeList(context, view, { pages: pages(), name: 'models', after, entry: entryOf });
}

/** Adds prices from the price list, or contexts from the catalog, where sorting needs them. */
async function completed(
  { out }: Context,
  client: Client,
  models: readonly Listed[],
  sort: Choice['sort'],
): Promise<readonly Listed[]> {
  const hasRank = ({ facts: { amounts, contextTokens } }: Listed) =>
    sort === 'price' ? amounts.length > 0 : contextTokens !== undefined;
  const isSorted = sort === 'price' || sort === 'context';
  if (!isSorted || models.length === 0 || models.some(hasRank)) return models;
  const others =
    sort === 'price'
      ? await pricingFacts(client)
      : (await catalogEntries(client)).map((entry) => modelFacts(entry));
  const byId = new Map(others.map((facts) => [facts.id, facts]));
  const filled = models.map(({ entry, facts }) => {
    const { amounts, contextTokens } =
      byId.get(facts.id) ?? byId.get(withoutChannel(facts.id)) ?? facts;
    return { entry, facts: { ...facts, amounts, contextTokens } };
  });
  if (!filled.some(hasRank)) {
    out.warn(`the service gives no ${sort} for these models; they are sorted by name`);
  }
  return filled;
}

/** A reply without a list of models is shown unchanged, as is everything under --json. */
async function showModels(context: Context, data: unknown, choice: Choice, shown: Titles) {
  const list = entriesIn(data);
  if (!list || (context.flags.json && isWhole(choice))) return showFields(context, data);
  const models = chosen(listed(list.entries), choice);
  const json = list.holding(models.map(entryOf));
  await writeList(context, viewOf(context, ...shown), { items: models, json });
}

const entryOf = ({ entry }: Listed) => entry;

function listed(entries: readonly unknown[]): Listed[] {
  return entries.map((entry) => ({ entry, facts: modelFacts(recordOf(entry)) }));
}

type Choice = Pick<InputOf<typeof declared.list>['options'], 'match' | 'sort' | 'limit'>;

function isWhole({ match, sort, limit }: Choice): boolean {
  return match.length === 0 && sort === undefined && limit === undefined;
}

/** Every word of `match` must occur, in upper or lower case. */
function chosen(models: readonly Listed[], { match, sort, limit }: Choice): Listed[] {
  const words = match.map((word) => folded(word).toLowerCase());
  const fitting = models.filter(({ entry }) => {
    const text = folded(JSON.stringify(entry)).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (sort === undefined) return fitting.slice(0, limit);
  const rankOf = ({ amounts, contextTokens = 0 }: ModelFacts) =>
    sort === 'price' ? priceRank(amounts) : [sort === 'context' ? -contextTokens : 0, 0];
  const sorted = fitting.sort(({ facts: one }, { facts: other }) => {
    const [group = 0, amount = 0] = rankOf(one);
    const [otherGroup = 0, otherAmount = 0] = rankOf(other);
    const byName = Number(one.id > other.id) - Number(one.id < other.id);
    return group - otherGroup || amount - otherAmount || byName;
  });
  return sorted.slice(0, limit);
}
