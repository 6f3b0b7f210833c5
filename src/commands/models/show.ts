import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getModel } from '../../contract/models.js';
import { showFields } from '../fields.js';
import type { show } from './index.js';

/** Shows one model (section 4.10). */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { data } = await call(await context.client(), getModel, { params: { id: args.id } });
  await showFields(context, data);
};
