/** The warning that the prepaid balance runs low, where a command has just learned it. */
import type { Context } from '../cli/context.js';
import { formatRub } from '../lib/money.js';

/** Warns on stderr when the balance is below the profile's `low_balance`. */
export function warnIfLow({ out, settings }: Context, balanceRub: number | undefined): void {
  const { lowBalanceRub } = settings();
  if (balanceRub === undefined || lowBalanceRub === undefined || balanceRub >= lowBalanceRub)
    return;
  out.warn(`the balance of ${formatRub(balanceRub)} is below your ${formatRub(lowBalanceRub)}`);
}
