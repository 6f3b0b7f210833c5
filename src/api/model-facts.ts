/** What an entry of a list of models says (sections 2.6, 2.11, 4.9); what is not understood is `rest`. */
import { isRecord, listOf, numberOf, textOf, type JsonRecord } from '../lib/json.js';
import { spelling } from '../lib/names.js';

/** A way to reach a model: an id that pins it, or its alias. */
export interface Channel {
  readonly id: string;
  readonly amounts: readonly Amount[];
  readonly rest: JsonRecord;
}

export interface ModelFacts extends Channel {
  readonly type: string | undefined;
  readonly about: string | undefined;
  readonly contextTokens: number | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly channels: readonly Channel[];
  /** Whether what it is sent is stored in Russia; undefined where nobody says. */
  readonly storedInRussia: boolean | undefined;
  readonly supports: readonly string[];
}

/** @param id used where the entry itself has none. */
export function modelFacts(entry: JsonRecord, id = ''): ModelFacts {
  const { amounts, rest } = amountsIn(entry);
  const left = new Map(Object.entries(rest));
  left.delete('object');
  const channels = take(left, ['addresses', 'variants', 'providervariants'], channelsIn) ?? [];
  const modalities = take(left, ['modalities'], modalitiesIn);
  const stored = take(left, ['storesdatainrussia'], (value) =>
    typeof value === 'boolean' || value === null ? value : undefined,
  );
  return {
    id: take(left, ['id', 'model', 'publicid', 'name'], textOf) ?? id,
    type: take(left, ['type', 'kind'], textOf),
    about: take(left, ['description', 'summary', 'title', 'displayname', 'name'], textOf),
    contextTokens: take(left, ['contextlength', 'contexttokens', 'contextwindow'], sizeIn),
    inputs: wordsIn(modalities?.['input'] ?? take(left, ['inputmodalities'], wordsIn)) ?? [],
    outputs: wordsIn(modalities?.['output'] ?? take(left, ['outputmodalities'], wordsIn)) ?? [],
    // A model without prices of its own has those of its first channel.
    amounts: amounts.length > 0 ? amounts : (channels[0]?.amounts ?? []),
    channels,
    storedInRussia: stored ?? undefined,
    supports: take(left, ['supportedparameters', 'features', 'capabilities'], supportIn) ?? [],
    rest: Object.fromEntries(left),
  };
}

/** Takes the first field out that has one of these names, as `spelling` has them, and can be read. */
function take<Value>(
  fields: Map<string, unknown>,
  names: readonly string[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const name of names) {
    for (const [key, value] of fields) {
      const found = spelling(key) === name ? read(value) : undefined;
      if (found === undefined) continue;
      fields.delete(key);
      return found;
    }
  }
  return undefined;
}

function sizeIn(value: unknown): number | undefined {
  return value === 0 ? undefined : numberOf(value);
}

/** An object of both sides; a list alone says nothing of sides. */
function modalitiesIn(value: unknown): JsonRecord | undefined {
  return isRecord(value) && Object.values(value).every((side) => wordsIn(side)) ? value : undefined;
}

function wordsIn(value: unknown): string[] | undefined {
  return allOf(typeof value === 'string' ? [value] : value, textOf);
}

function allOf<Item>(value: unknown, read: (item: unknown) => Item | undefined) {
  const items = listOf(value).flatMap((item) => read(item) ?? []);
  return items.length > 0 && items.length === listOf(value).length ? items : undefined;
}

/** Section 2.11: values are supported or unconfirmed; lists of words pass as they are. */
function supportIn(value: unknown): string[] | undefined {
  if (!isRecord(value)) return wordsIn(value);
  const entries = Object.entries(value);
  if (!entries.every(([, one]) => ['string', 'boolean'].includes(typeof one))) return undefined;
  return entries
    .filter(([, one]) => one !== false)
    .map(([name, one]) =>
      one === 'supported' || one === true ? name : `${name} (${String(one)})`,
    );
}

function channelsIn(value: unknown): Channel[] | undefined {
  return allOf(value, (one) => {
    if (typeof one === 'string') return { id: one, amounts: [], rest: {} };
    if (!isRecord(one)) return undefined;
    const { amounts, rest } = amountsIn(one);
    const left = new Map(Object.entries(rest));
    const id = take(left, ['id', 'address', 'name', 'variant', 'alias'], textOf);
    if (id === undefined) return undefined;
    const alias = textOf(left.get('alias'));
    // It is the end of the id, and says nothing more.
    if (alias !== undefined && id.endsWith(alias)) left.delete('alias');
    return { id, amounts, rest: Object.fromEntries(left) };
  });
}

interface Amount {
  /** What it is for: `in`, `out`, `from`, empty for all; otherwise the name of its field. */
  readonly what: string;
  readonly rub: number;
  /** Such as `1M tokens` or `request`; undefined where the name of the field does not tell. */
  readonly per: string | undefined;
}

const holder = /^(pricing|prices?|costs?)$/i;
const priced = /rub|price|cost/i;
/** Other currencies are not mixed with roubles: they stay among the other fields. */
const foreign = /usd|eur|dollar/i;

function amountsIn(
  entry: JsonRecord,
  isPrice = (name: string) => priced.test(name),
): Pick<Channel, 'amounts' | 'rest'> {
  const amounts: Amount[] = [];
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    const held = holder.test(name) && isRecord(value) ? heldIn(value) : undefined;
    const isOwn = !held && isPrice(name) && !foreign.test(name);
    const found = held?.amounts ?? (isOwn ? amountOf(name, value) : []);
    amounts.push(...found);
    if (held && Object.keys(held.rest).length > 0) rest[name] = held.rest;
    if (!held && found.length === 0) rest[name] = value;
  }
  return { amounts, rest };
}

/** Prices under a common name: every number among them is one. */
function heldIn(prices: JsonRecord): Pick<Channel, 'amounts' | 'rest'> {
  const { currency = 'RUB', ...fields } = prices;
  const read = amountsIn(fields, () => true);
  const isRub = textOf(currency)?.toUpperCase() === 'RUB';
  return isRub && read.amounts.length > 0 ? read : { amounts: [], rest: prices };
}

function amountOf(name: string, value: unknown): Amount[] {
  // Prices of small parts of a rouble often travel as text.
  const text = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const rub = numberOf(text);
  return rub === undefined ? [] : [{ what: whatOf(name), rub, per: perOf(name) }];
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
  const units = new Set(amounts.map(({ per }) => per));
  return [...units]
    .map((unit) => {
      const words = amounts.filter(({ per }) => per === unit).map(amountWords);
      return `${words.join(', ')} RUB${unit === undefined ? '' : ` per ${unit}`}`;
    })
    .join('; ');
}

function amountWords({ what, rub }: Amount): string {
  if (what === 'in' || what === 'out') return `${rub} ${what}`;
  return `${what} ${rub}`.trimStart();
}

/** By tokens in and out together, then what is paid in another way, then without a price. */
export function priceRank(amounts: readonly Amount[]): readonly [group: number, rub: number] {
  if (amounts.length === 0) return [2, 0];
  const tokens = amounts.filter(({ what }) => what === 'in' || what === 'out');
  if (tokens.length === 0) return [1, Math.min(...amounts.map(({ rub }) => rub))];
  // A price of a thousand tokens counts as that of a million.
  const millions = tokens.map(({ rub, per }) => rub * (per === '1K tokens' ? 1000 : 1));
  return [0, millions.reduce((sum, rub) => sum + rub, 0)];
}
