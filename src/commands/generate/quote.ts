/** `--quote`: the price of what would be made, and its parts. */
import type { Quote } from '../../api/media/submit.js';
import type { Context } from '../../context.js';
import { numberOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { priceWords } from '../../media/make-job.js';
import { fullMomentCell, rubWords } from '../cells.js';
import { fieldRows } from '../fields.js';

export async function showQuote(context: Context, quote: Quote): Promise<void> {
  const { out, flags } = context;
  if (flags.json) return out.json(quote);
  const time = (seconds: unknown) => {
    const known = numberOf(seconds);
    return known === undefined ? '' : `${known} s`;
  };
  const rows = [
    ['Price', priceWords(quote, (rub) => rubWords(context, rub))],
    ...fieldRows(context, quote.breakdown ?? {}),
    ['Measured audio', time(quote.audioSeconds)],
    ['Length of the result', time(quote.outputSeconds)],
    ['Measured source', time(quote.sourceSeconds)],
    ['Quote', plainText(quote.quoteId ?? '', 128)],
    ['Valid until', plainText(fullMomentCell(context, quote.expiresAt ?? undefined), 60)],
  ];
  await out.fields(rows.filter(([, value]) => value !== ''));
}
