/** Prices whose shape the specification does not show: each as it came. */
import type { Column } from '../../terminal/types.js';
import { isRecord, numberOf, textOf } from '../../lib/json.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';

export const priceColumns: readonly Column[] = [{ title: 'PRICE' }, { title: '' }];

/** What a list of voices tells of prices: what for, and the price. Empty when it tells nothing. */
export function priceRows(pricing: unknown): string[][] {
  const entries = isRecord(pricing) ? Object.entries(pricing) : [['', pricing] as const];
  return entries.flatMap(([what, price]) => {
    const words = priceWords(price);
    return words === '' ? [] : [[plainText(what, 80), plainText(words, 300)]];
  });
}

/** `standard 50, premium 150` */
function priceWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (!isRecord(value)) return textOf(value) ?? JSON.stringify(value);
  const amount = amountWords(value);
  if (amount !== undefined) return amount;
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${priceWords(inner)}`.trimEnd())
    .join(', ');
}

/** An amount with its currency, as voices have their fees (section 2.14); undefined for all else. */
export function amountWords(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const amount = numberOf(value['amount']);
  const currency = textOf(value['currency']);
  if (amount === undefined || currency === undefined) return undefined;
  return currency === 'RUB' ? formatRub(amount) : `${amount} ${plainText(currency, 10)}`;
}
