import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getWebhooks } from '../../contract/account.js';
import { showFields } from '../fields.js';
import type { show } from './index.js';

/** Shows the account's notification addresses. */
export const run: Handler<typeof show> = async (context) => {
  const { data } = await call(await context.client({ key: 'optional' }), getWebhooks, {});
  await showFields(context, data);
};
