/** What the requests of a program have cost, in words, as a table and as JSON. */
import { formatRub, grouped, sumRub } from '../../lib/amounts.js';
import type { Language } from '../../lib/language.js';
import { plainText } from '../../lib/plain-text.js';
import type { Total, Totals } from '../../proxy/totals.js';
import { titles, type Output } from '../../terminal/types.js';

const counted = (count: number, noun: string, language: Language) =>
  `${grouped(count, language)} ${noun}${count === 1 ? '' : 's'}`;

/** `12 requests for 1.84 RUB`; says what was not sent, and how many prices are not known. */
export function summary({ all }: Totals, language: Language): string {
  const { open, priceRub, refused, requests } = all;
  if (requests === 0) return 'no requests';
  const made = counted(requests, 'request', language);
  if (refused === requests)
    return made + (requests === 1 ? ', which was not sent' : ', none of which was sent');
  const be = refused === 1 ? 'was' : 'were';
  const some = refused === 0 ? '' : `, ${grouped(refused, language)} of which ${be} refused,`;
  const unknown = open === 0 ? '' : ` and ${counted(open, 'price', language)} not known yet`;
  return `${made}${some} for ${formatRub(priceRub, language)}${unknown}`;
}

const columns = titles(
  { title: 'MODEL', min: 12 },
  '>REQUESTS',
  { title: '>REFUSED', drop: 1 },
  { title: '>IN', drop: 4 },
  { title: '>OUT', drop: 3 },
  '>PRICE',
  { title: '>UNPRICED', drop: 2 },
);

/** A table by model, on stderr; nothing where no request has named one. */
export async function showTotals(out: Output, totals: Totals): Promise<void> {
  const every = (count: number) => grouped(count, out.language);
  const some = (count: number) => (count === 0 ? '' : every(count));
  const rows = dearestFirst(totals).map(([model, one]) => [
    ...[plainText(model, 100), every(one.requests), some(one.refused)],
    ...[every(one.inputTokens), every(one.outputTokens)],
    ...[formatRub(one.priceRub, out.language), some(one.open)],
  ]);
  if (rows.length > 0) await out.noteTable(columns, rows);
}

/** As --report has it. */
export function totalsJson(totals: Totals) {
  const models = dearestFirst(totals).map(([model, one]) => ({ model, ...jsonOf(one) }));
  return { ...jsonOf(totals.all), models };
}

function jsonOf({ inputTokens, open, outputTokens, priceRub, refused, requests }: Total) {
  const counts = { requests, refused, unpriced: open };
  return {
    ...counts,
    usage: { inputTokens, outputTokens },
    cost: { priceRub: sumRub([priceRub]) },
  };
}

function dearestFirst({ byModel }: Totals) {
  return [...byModel].sort(([, one], [, other]) => other.priceRub - one.priceRub);
}
