import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { listKeys } from '../../contract/account.js';
import { withMaskedKeys } from '../masked-keys.js';
import { showList } from '../reply-table.js';
import type { list } from './index.js';

/** Lists the account's keys (section 4.10): whatever fields come. */
export const run: Handler<typeof list> = async (context) => {
  const { data } = await call(await context.client(), listKeys, {});
  await showList(context, withMaskedKeys(data), 'no keys');
};
