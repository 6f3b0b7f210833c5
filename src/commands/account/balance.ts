import { rubWords } from '../cells.js';
import { call } from '../../api/call.js';
import type { Handler } from '../../context.js';
import { getBalance, getKeyUsage } from '../../contract/billing.js';
import { listKeys } from '../../contract/account.js';
import { BalanceTooLow } from '../../errors.js';
import { comparing } from '../../lib/amounts.js';
import { warnIfLow } from '../../jobs/cost.js';
import { showFields, showList, withMaskedKeys } from '../fields.js';
import { keyColumns } from './index.js';
import type * as declared from './index.js';

export const balance: Handler<typeof declared.balance> = async (context, { options }) => {
  const { client, flags, out } = context;
  const { data } = await call(await client(), getBalance, {});
  const { balance_rub: leftRub } = data;
  await (flags.json ? out.json(data) : out.line(rubWords(context, leftRub)));
  const { warnBelow } = options;
  if (warnBelow !== undefined && leftRub < warnBelow) {
    const rub = comparing(leftRub, warnBelow);
    throw new BalanceTooLow(`the balance of ${rub(leftRub)} is below ${rub(warnBelow)}`, {
      code: 'low_balance',
      hint: 'top it up in the web cabinet of the service',
    });
  }
  warnIfLow(context, leftRub);
};

export const listOfKeys: Handler<typeof declared.listOfKeys> = async (context, { options }) => {
  const { data } = await call(await context.client(), listKeys, {});
  const how = { columns: keyColumns, empty: 'no keys', limit: options.limit };
  await showList(context, withMaskedKeys(data), how);
};

export const keyInUse: Handler<typeof declared.keyInUse> = async (context) => {
  const { data } = await call(await context.client(), getKeyUsage, {});
  await showFields(context, withMaskedKeys(data));
};
