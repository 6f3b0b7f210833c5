/** `--quote`: the price of what would be made, and its parts. */
import type { Quote } from '../../api/media/submit.js';
import type { Context } from '../../context.js';
import { numberOf } from '../../lib/json.js';
import { kebabCase } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { priceWords } from '../../media/make-job.js';
import { fullMomentCell, rubCell } from '../cells.js';

export async function showQuote(context: Context, quote: Quote): Promise<void> {
  const { out, flags } = context;
  if (flags.json) return out.json(quote);
  const time = (seconds: unknown) => {
    const known = numberOf(seconds);
    return known === undefined ? '' : `${known} s`;
  };
  const rows = [
    ['Price', priceWords(quote, out.isTerminal)],
    ...Object.entries(quote.breakdown ?? {}).map((part) => partRow(context, ...part)),
    ['Measured audio', time(quote.audioSeconds)],
    ['Length of the result', time(quote.outputSeconds)],
    ['Measured source', time(quote.sourceSeconds)],
    ['Quote', plainText(quote.quoteId ?? '', 128)],
    ['Valid until', plainText(fullMomentCell(context, quote.expiresAt ?? undefined), 60)],
  ];
  await out.fields(rows.filter(([, value]) => value !== ''));
}

/** A part by the service's own name, for people as words: `Per second  1.45 RUB`. */
function partRow(context: Context, name: string, value: unknown): string[] {
  const rub = numberOf(value);
  const amount = plainText(String(rub ?? JSON.stringify(value)), 60);
  if (!context.out.isTerminal) return [plainText(name, 60), amount];
  const words = kebabCase(plainText(name.replace(/Rub$/, ''), 60)).replaceAll('-', ' ');
  const isPrice = rub !== undefined && name.endsWith('Rub');
  return [words.charAt(0).toUpperCase() + words.slice(1), isPrice ? rubCell(context, rub) : amount];
}
