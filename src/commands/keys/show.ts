import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getKeyUsage } from '../../contract/billing.js';
import { showFields } from '../fields.js';
import { withMaskedKeys } from '../masked-keys.js';
import type { show } from './index.js';

/** Shows what the key in use has spent (section 4.10). */
export const run: Handler<typeof show> = async (context) => {
  const { data } = await call(await context.client(), getKeyUsage, {});
  await showFields(context, withMaskedKeys(data));
};
