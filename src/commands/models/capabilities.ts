import type { Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityOf,
  fetchCapabilities,
  idsOf,
  everyEntry,
} from '../../api/media/capabilities.js';
import { brokenOff, tooFew } from '../../api/pages.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import type { JsonRecord } from '../../lib/json.js';
import { showFields, showRest } from '../fields.js';
import { unknownModel } from '../known-model.js';
import { showRows, writeJson, writeRows } from '../listing.js';
import type { capabilities } from './index.js';
import { chosen, entryOf, listed, viewOf, type Listed } from './lists.js';

const view = viewOf('MODEL', 'KIND', 'OPERATIONS', 'PRICE', 'AVAILABILITY');

export const run: Handler<typeof capabilities> = async (context, { args: { id }, options }) => {
  const { all, page, limit, match } = options;
  if (id !== undefined && (all || page !== undefined || limit !== undefined)) {
    throw new UsageError('one model has no pages: leave out --all, --page and --limit', {
      code: 'usage',
      hint: 'svc models capabilities --help',
    });
  }
  const client = await context.client();
  if (id !== undefined) {
    const models = await fetchCapabilities(client);
    const found = capabilityOf(models, id);
    if (found) return showFields(context, found.entry);
    const names = models.flatMap((model) => idsOf(model).slice(0, 1));
    throw unknownModel(id, names, 'see which there are: `svc models capabilities --all`');
  }
  const fitting = (entries: readonly unknown[]) =>
    chosen(listed(entries), { match, sort: undefined });
  if (all) return showAll(context, client, fitting);
  const reply = await capabilitiesPage(client, { page, pageSize: limit });
  const { models, ...rest } = reply;
  const shown = fitting(models);
  if (context.flags.json) return context.out.json({ ...reply, models: shown.map(entryOf) });
  await showRows(context, shown, view);
  await showRest(context, rest);
};

/** Every entry that fits, one at a time, and then what stands beside them. */
async function showAll(
  context: Context,
  client: Client,
  fitting: (entries: readonly unknown[]) => Listed[],
): Promise<void> {
  let beside: JsonRecord = {};
  let reported = 0;
  let total = 0;
  async function* wanted<Item>(read: (model: Listed) => Item) {
    const entries = everyEntry(client, (fields, all = 0) => {
      beside = fields;
      reported = all;
    });
    try {
      for await (const entry of entries) {
        total += 1;
        yield fitting([entry]).map(read);
      }
    } catch (error) {
      throw total === 0 ? error : brokenOff(error, `${total} models`);
    }
    if (total < reported) throw tooFew('models', total, reported);
  }
  if (context.flags.json) {
    const after = () => {
      return { pagination: { page: 1, pageSize: total, total, totalPages: 1 }, ...beside };
    };
    return writeJson(context, wanted(entryOf), 'models', { after });
  }
  const models = wanted((model) => model);
  await writeRows(context, models, view);
  await showRest(context, beside);
}
