/** Prices in an entry of a list of models, under whatever names (section 4.10 does not show them). */
import { isRecord, type JsonRecord } from '../lib/json.js';

/** One price. */
export interface Amount {
  /** What it is for: `in`, `out`, `from`, empty for all; otherwise the name of its field. */
  readonly what: string;
  readonly rub: number;
  /** Such as `1M tokens` or `request`; undefined where the name of the field does not tell. */
  readonly per: string | undefined;
}

const holders = /^(pricing|prices?|cost|costs)$/i;
const priced = /rub|price|cost/i;
/** Other currencies are not mixed with roubles: they stay among the other fields. */
const foreign = /usd|eur|dollar/i;

export interface Amounts {
  readonly amounts: readonly Amount[];
  /** The entry without what was understood. */
  readonly rest: JsonRecord;
}

export function amountsIn(entry: JsonRecord): Amounts {
  const rest: Record<string, unknown> = {};
  const amounts: Amount[] = [];
  for (const [name, value] of Object.entries(entry)) {
    if (holders.test(name) && isRecord(value)) {
      const inner = held(value);
      amounts.push(...inner.amounts);
      if (Object.keys(inner.rest).length > 0) rest[name] = inner.rest;
      continue;
    }
    const found = own(name, value);
    amounts.push(...found);
    if (found.length === 0) rest[name] = value;
  }
  return { amounts, rest };
}

/** Prices under a common name: every number among them is one. */
function held(prices: JsonRecord): Amounts {
  const { currency, ...fields } = prices;
  const isRub =
    currency === undefined || (typeof currency === 'string' && currency.toUpperCase() === 'RUB');
  if (!isRub) return { amounts: [], rest: prices };
  const rest: Record<string, unknown> = {};
  const amounts: Amount[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const found = foreign.test(name) ? [] : amountOf(name, value);
    amounts.push(...found);
    if (found.length === 0) rest[name] = value;
  }
  return amounts.length > 0 ? { amounts, rest } : { amounts, rest: prices };
}

function own(name: string, value: unknown): Amount[] {
  return priced.test(name) && !foreign.test(name) ? amountOf(name, value) : [];
}

function amountOf(name: string, value: unknown): Amount[] {
  // Prices of small parts of a rouble often travel as text.
  const text = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof text !== 'number' || !Number.isFinite(text)) return [];
  return [{ what: whatOf(name), rub: text, per: perOf(name) }];
}

function whatOf(name: string): string {
  if (/cache/i.test(name)) return name;
  if (/input|prompt/i.test(name)) return 'in';
  if (/output|completion/i.test(name)) return 'out';
  if (/^from/i.test(name)) return 'from';
  return /^(rub|price|cost|price_?rub)(_?per|$)/i.test(name) ? '' : name;
}

function perOf(name: string): string | undefined {
  if (/million|mtok|1m(?![a-z])/i.test(name)) return '1M tokens';
  if (/thousand|1k(?![a-z])/i.test(name)) return '1K tokens';
  return /per_?([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
}

/** `100 in, 400 out RUB per 1M tokens`, `from 0.6 RUB`; empty when there is no price. */
export function priceWords(amounts: readonly Amount[]): string {
  const units = new Map<string, Amount[]>();
  for (const amount of amounts) {
    const unit = amount.per ?? '';
    units.set(unit, [...(units.get(unit) ?? []), amount]);
  }
  return [...units]
    .map(([unit, group]) => `${group.map(amountWords).join(', ')} RUB${unit && ` per ${unit}`}`)
    .join('; ');
}

function amountWords({ what, rub }: Amount): string {
  if (what === 'in' || what === 'out') return `${String(rub)} ${what}`;
  return `${what} ${String(rub)}`.trimStart();
}

/**
 * What to compare models by, the cheaper first: tokens in and out together, before models that are
 * paid in another way; without a price at the end.
 */
export function priceRank(amounts: readonly Amount[]): readonly [group: number, rub: number] {
  const tokens = amounts.filter(({ what }) => what === 'in' || what === 'out');
  if (tokens.length > 0) {
    // A price of a thousand tokens counts as that of a million.
    const sum = tokens.reduce(
      (all, { rub, per }) => all + rub * (per === '1K tokens' ? 1000 : 1),
      0,
    );
    return [0, sum];
  }
  const least = Math.min(...amounts.map(({ rub }) => rub));
  return amounts.length > 0 ? [1, least] : [2, 0];
}
