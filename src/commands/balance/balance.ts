import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getBalance } from '../../contract/balance.js';
import { BalanceTooLow } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { warnIfLow } from '../low-balance.js';
import type { balance } from './index.js';

/** Prints the balance in RUB. @throws BalanceTooLow after it, when it is below --warn-below. */
export const run: Handler<typeof balance> = async (context, { options }) => {
  const { client, flags, out } = context;
  const { data } = await call(await client(), getBalance, {});
  const { balance_rub: leftRub } = data;
  await (flags.json ? out.json(data) : out.line(formatRub(leftRub)));
  const { warnBelow } = options;
  if (warnBelow !== undefined && leftRub < warnBelow) {
    throw new BalanceTooLow(
      `the balance of ${formatRub(leftRub)} is below ${formatRub(warnBelow)}`,
      { code: 'low_balance', hint: 'top it up in the web cabinet of the service' },
    );
  }
  warnIfLow(context, leftRub);
};
