/** The prices of turns that the log lacks, from the usage history. */
import { withLimit } from '../../api/client.js';
import { pricesOf } from '../../api/cost.js';
import type { Context } from '../../context.js';
import { SvcError } from '../../errors.js';
import { accountFor } from '../../state/account.js';
import type { Log } from '../../state/log.js';
import type { TurnFilter } from '../../state/turn-filter.js';

/** What cannot be looked up in three seconds stays unknown. @param limit of the newest turns */
export async function fillPrices(context: Context, log: Log, filter: TurnFilter, limit?: number) {
  if (context.flags.dryRun || log.totals(filter).unknownPrices === 0) return;
  try {
    const client = withLimit(await context.client(), 3000);
    const turns = log.turns({ ...filter, unpricedOf: accountFor(context, client) }, limit);
    const ids = turns.flatMap(({ generationId }) => generationId ?? []);
    const prices = await pricesOf(client, ids);
    for (const { id, generationId } of turns) {
      const answerRub = prices.get(generationId ?? '');
      if (answerRub !== undefined) log.setPrice(id, answerRub);
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
  }
}
