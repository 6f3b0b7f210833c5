import { modelFacts } from '../../api/model-facts.js';
import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { listModels } from '../../contract/models.js';
import { completed } from './completed.js';
import type { list } from './index.js';
import { chosen, modelColumns, modelRow } from './listing.js';

/** Lists the models, one line each. */
export const run: Handler<typeof list> = async (context, { options }) => {
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
  if (flags.json) {
    await out.json({ ...data, data: models.map(({ entry }) => entry) });
    return;
  }
  if (models.length === 0) out.note('no models');
  await out.table(modelColumns, models.map(modelRow));
};
