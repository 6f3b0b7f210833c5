import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getBalance } from '../../contract/balance.js';
import { formatRub } from '../../lib/money.js';
import { warnIfLow } from '../low-balance.js';
import type { balance } from './index.js';

/** Prints the balance in RUB. */
export const run: Handler<typeof balance> = async (context) => {
  const { client, flags, out } = context;
  const { data } = await call(await client(), getBalance, {});
  await (flags.json ? out.json(data) : out.line(formatRub(data.balance_rub)));
  warnIfLow(context, data.balance_rub);
};
