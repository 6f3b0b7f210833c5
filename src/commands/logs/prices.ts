/** The prices of turns that the log lacks, from the usage history. */
import { withLimit } from '../../api/client.js';
import { pricesOf } from '../../api/cost.js';
import type { Context } from '../../context.js';
import { SvcError } from '../../errors.js';
import { accountFor } from '../../state/account.js';
import type { Log, Turn } from '../../state/log.js';
import type { TurnFilter } from '../../state/turn-filter.js';

/**
 * What cannot be looked up in three seconds stays unknown.
 * @param newest the turns of the filter that are shown: where it is absent, all are looked at
 * @returns whether a price has become known
 */
export async function fillPrices(
  context: Context,
  log: Log,
  filter: TurnFilter,
  newest?: readonly Turn[],
): Promise<boolean> {
  if (context.flags.dryRun) return false;
  const isMissing = newest
    ? newest.some(({ generationId, priceRub }) => priceRub === null && generationId !== null)
    : log.totals(filter).unknownPrices > 0;
  if (!isMissing) return false;
  let isFilled = false;
  try {
    const client = withLimit(await context.client(), 3000);
    const turns = log.turns({ ...filter, unpricedOf: accountFor(context, client) }, newest?.length);
    const ids = turns.flatMap(({ generationId }) => generationId ?? []);
    const prices = await pricesOf(client, ids);
    for (const { id, generationId } of turns) {
      const answerRub = prices.get(generationId ?? '');
      if (answerRub === undefined) continue;
      log.setPrice(id, answerRub);
      isFilled = true;
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
  }
  return isFilled;
}
