/** The warning that the prepaid balance runs low, where a command has just learned it. */
import type { Context } from '../cli/context.js';
import { formatRub } from '../lib/amounts.js';

/** Commands that have said it: some learn the balance several times. */
const warned = new WeakSet<Context>();

/** Warns on stderr, once a command, when the balance is below the profile's `low_balance`. */
export function warnIfLow(context: Context, balanceRub: number | undefined): void {
  const { out, settings } = context;
  const { lowBalanceRub } = settings();
  if (balanceRub === undefined || lowBalanceRub === undefined || balanceRub >= lowBalanceRub)
    return;
  if (warned.has(context)) return;
  warned.add(context);
  out.warn(`the balance of ${formatRub(balanceRub)} is below your ${formatRub(lowBalanceRub)}`);
}
