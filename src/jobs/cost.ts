/** What a call cost, told after its result: for people one dim line, for programs an object. */
import type { Client } from '../api/client.js';
import { costOf, type Cost } from '../api/cost.js';
import type { Context } from '../cli/context.js';
import { formatRub } from '../lib/amounts.js';

interface Paid {
  /** Ids of the reply's headers, by name. */
  readonly ids: Readonly<Record<string, string>>;
  /** What the reply itself says that it cost. */
  readonly priceRub?: number;
}

/** The cost of a call where somebody will see it: asking takes a call or two. */
export async function costFor(
  { out, flags }: Context,
  client: Client,
  { ids, priceRub }: Paid,
): Promise<Cost> {
  if (!flags.json && (!out.isErrorTerminal || flags.quiet)) return { priceRub };
  const generationId = priceRub === undefined ? ids['generation-id'] : undefined;
  const told = await costOf(client, generationId);
  return { priceRub: priceRub ?? told.priceRub, balanceRub: told.balanceRub };
}

/** Tells people, on a terminal, and warns when the balance runs low. */
export function tellCost(context: Context, cost: Cost, before: readonly string[] = []): void {
  const { out, flags } = context;
  const parts = [...before, ...costWords(cost)];
  if (!flags.json && out.isErrorTerminal && parts.length > 0) out.dim(parts.join(' · '));
  warnIfLow(context, cost.balanceRub);
}

function costWords({ priceRub, balanceRub }: Cost): string[] {
  return [
    ...(priceRub === undefined ? [] : [formatRub(priceRub)]),
    ...(balanceRub === undefined ? [] : [`balance ${formatRub(balanceRub)}`]),
  ];
}

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
