import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getUsageByKey } from '../../contract/billing.js';
import { withMaskedKeys } from '../masked-keys.js';
import { showList } from '../reply-table.js';
import type { keys } from './index.js';

/** Shows what each key has used (section 4.10): whatever fields come. */
export const run: Handler<typeof keys> = async (context) => {
  const { data } = await call(await context.client(), getUsageByKey, {});
  await showList(context, withMaskedKeys(data), 'no usage of any key');
};
