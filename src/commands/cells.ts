/** Prices and times on stdout: for people on a terminal, plain and exact in a pipe. */
import { englishPrices, priceWords } from '../api/model-facts.js';
import type { Context } from '../context.js';
import { formatAmount, formatRub, grouped, plainRub } from '../lib/amounts.js';
import { formatAge } from '../lib/duration.js';
import { fieldText, numberOf, recordOf } from '../lib/json.js';
import { localMoment } from '../lib/moment.js';

export interface Screen {
  readonly out: Pick<Context['out'], 'isTerminal'> & Partial<Pick<Context['out'], 'language'>>;
  readonly clock: Pick<Context['clock'], 'now'>;
}

/** An amount by itself: `1,234.50 RUB`, in a pipe `1234.50 RUB`. */
export function rubWords({ out }: Pick<Screen, 'out'>, amountRub: number): string {
  return out.isTerminal ? formatRub(amountRub, out.language) : plainRub(amountRub);
}

/** An amount in a table: a pipe gets the number, without what adding up leaves behind: `1234.5`. */
export function rubCell({ out }: Pick<Screen, 'out'>, amountRub: number): string {
  return out.isTerminal
    ? formatRub(amountRub, out.language)
    : String(Number(amountRub.toPrecision(15)));
}

/** The same of a field of the service, whose digits a pipe gets; empty where there is no number. */
export function rubCellOf(screen: Pick<Screen, 'out'>, record: object, name: string): string {
  const rub = numberOf(recordOf(record)[name]);
  if (rub === undefined) return '';
  return screen.out.isTerminal ? rubCell(screen, rub) : fieldText(record, name);
}

/** `100.00 in, 400.00 out RUB/1M tokens`; a pipe gets the numbers of the service. */
export function priceCell(
  { out }: Pick<Screen, 'out'>,
  amounts: Parameters<typeof priceWords>[0],
  words = englishPrices('/'),
): string {
  if (!out.isTerminal) return priceWords(amounts);
  return priceWords(amounts, (rub) => numberCell({ out }, rub), words);
}

/** The number of an amount whose unit stands beside it: `1,234.50`, in a pipe `1234.5`. */
export function numberCell({ out }: Pick<Screen, 'out'>, amount: number | undefined): string {
  if (amount === undefined) return '';
  return out.isTerminal ? grouped(formatAmount(amount), out.language) : String(amount);
}

export function countCell({ out }: Pick<Screen, 'out'>, count: number | undefined): string {
  if (count === undefined || Number.isNaN(count)) return '';
  return out.isTerminal ? grouped(count, out.language) : String(count);
}

/** @param at milliseconds, or the service's own text, which a pipe gets unchanged. */
function momentCell(
  { out, clock }: Screen,
  at: number | string | undefined,
  words: (atMs: number, distance: string) => string,
): string {
  if (at === undefined) return '';
  const atMs = new Date(at).getTime();
  if (Number.isNaN(atMs)) return String(at);
  if (!out.isTerminal) return typeof at === 'number' ? new Date(at).toISOString() : at;
  const nowMs = clock.now();
  const age = formatAge(Math.abs(nowMs - atMs));
  return words(atMs, atMs > nowMs ? `in ${age}` : `${age} ago`);
}

/** `2 min ago`, `in 5 d`: for lists. */
export function distanceCell(screen: Screen, at: number | string | undefined): string {
  return momentCell(screen, at, (_, distance) => distance);
}

/** `2026-11-01 09:30 (2 min ago)`, in the reader's time zone: for one thing shown in full. */
export function fullMomentCell(screen: Screen, at: number | string | undefined): string {
  return momentCell(screen, at, (atMs, distance) => `${localMoment(atMs)} (${distance})`);
}
