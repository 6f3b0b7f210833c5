import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getUsageRecord } from '../../contract/billing.js';
import { showFields } from '../fields.js';
import type { show } from './index.js';

/** Shows one usage record (section 4.10). */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { data } = await call(await context.client(), getUsageRecord, { params: { id: args.id } });
  await showFields(context, data);
};
