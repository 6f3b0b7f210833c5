import type { Client } from '../../api/client.js';
import {
  capabilitiesPage,
  capabilityOf,
  fetchCapabilities,
  idsOf,
} from '../../api/media/capabilities.js';
import { modelFacts } from '../../api/model-facts.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { isRecord } from '../../lib/json.js';
import { showFields } from '../fields.js';
import { unknownModel } from '../known-model.js';
import { showRest } from '../reply-table.js';
import { columns, rowOf } from './capability-row.js';
import type { capabilities } from './index.js';
import { chosen } from './listing.js';

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
  if (id !== undefined) {
    await showOne(context, client, id);
    return;
  }
  if (all) {
    const { showAll } = await import('./all-capabilities.js');
    await showAll(context, client, (entry) => fitting([entry], match).length > 0);
    return;
  }
  const reply = await capabilitiesPage(client, { page, pageSize: limit });
  const { models, ...rest } = reply;
  const shown = fitting(models, match);
  if (context.flags.json) {
    await context.out.json({ ...reply, models: shown });
    return;
  }
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
