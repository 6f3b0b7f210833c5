import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { listAllModels } from '../../contract/models.js';
import type { all } from './index.js';
import { modelColumns, modelRow } from './listing.js';
import { showModels } from './show-models.js';

/** Lists every model (section 4.10): whatever fields come. */
export const run: Handler<typeof all> = async (context, { options }) => {
  const { data } = await call(await context.client(), listAllModels, {});
  await showModels(context, data, options, { columns: modelColumns, row: modelRow });
};
