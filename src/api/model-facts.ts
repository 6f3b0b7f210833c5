/**
 * What an entry of a list of models tells, under whatever names (sections 2.6, 2.11, 4.9: most are
 * not shown). Nothing is dropped: what is not understood stays in `rest`.
 */
import { isRecord, listOf, numberOf, textOf, type JsonRecord } from '../lib/json.js';
import { spelling } from '../lib/names.js';

/** A way to reach a model: an id that pins it, or its alias. */
export interface Channel {
  readonly id: string;
  readonly amounts: readonly Amount[];
  readonly rest: JsonRecord;
}

export interface ModelFacts {
  readonly id: string;
  /** `text`, `embedding`, `image` … as the service says. */
  readonly type: string | undefined;
  readonly about: string | undefined;
  readonly contextTokens: number | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly amounts: readonly Amount[];
  readonly channels: readonly Channel[];
  /** Whether what it is sent is stored in Russia; undefined where nobody says. */
  readonly storedInRussia: boolean | undefined;
  readonly supports: readonly string[];
  /** Fields that are none of these. */
  readonly rest: JsonRecord;
}

/** Names of fields, as `spelling` has them, the likeliest first. */
const names = {
  id: ['id', 'model', 'publicid', 'name'],
  type: ['type', 'kind', 'category'],
  about: ['description', 'summary', 'title', 'displayname', 'name'],
  context: [
    'contextlength',
    'contexttokens',
    'contextwindow',
    'contextlimit',
    'context',
    'maxcontexttokens',
    'maxinputtokens',
    'maxtokens',
  ],
  modalities: ['modalities', 'modality'],
  inputs: ['inputmodalities', 'input', 'inputs'],
  outputs: ['outputmodalities', 'output', 'outputs'],
  channels: ['addresses', 'variants', 'providervariants', 'channels'],
  storage: ['storesdatainrussia', 'storedinrussia', 'datainrussia'],
  supports: ['supportedparameters', 'supports', 'features', 'capabilities'],
} as const;

/** @param id used where the entry itself has none, as in an object keyed by id. */
export function modelFacts(entry: JsonRecord, id = ''): ModelFacts {
  const { amounts, rest } = amountsIn(entry);
  const left = new Fields(rest);
  const ownId = left.take(names.id, textOf) ?? id;
  const type = left.take(names.type, textOf);
  const about = left.take(names.about, textOf);
  const contextTokens = left.take(names.context, positive);
  const modalities = new Fields(left.take(names.modalities, modalitiesIn) ?? {});
  const storedInRussia = left.take(names.storage, booleanOrNull) ?? undefined;
  const channels = left.take(names.channels, channelsIn) ?? [];
  const supports = left.take(names.supports, supportedWords) ?? [];
  left.drop('object');
  return {
    id: ownId,
    type,
    about,
    contextTokens,
    inputs: modalities.take(names.inputs, wordsIn) ?? left.take(names.inputs, wordsIn) ?? [],
    outputs: modalities.take(names.outputs, wordsIn) ?? left.take(names.outputs, wordsIn) ?? [],
    // A model without prices of its own has those of its first channel.
    amounts: amounts.length > 0 ? amounts : (channels[0]?.amounts ?? []),
    channels,
    storedInRussia,
    supports,
    rest: left.rest,
  };
}

function channelsIn(value: unknown): Channel[] | undefined {
  const channels = listOf(value).flatMap((one) => channelIn(one) ?? []);
  return channels.length > 0 && channels.length === listOf(value).length ? channels : undefined;
}

function channelIn(value: unknown): Channel | undefined {
  if (typeof value === 'string') return { id: value, amounts: [], rest: {} };
  if (!isRecord(value)) return undefined;
  const { amounts, rest } = amountsIn(value);
  const left = new Fields(rest);
  const id = left.take(['id', 'address', 'name', 'variant', 'alias'], textOf);
  if (id === undefined) return undefined;
  const alias = textOf(left.rest['alias']);
  // It is the end of the id, and says nothing more.
  if (alias !== undefined && id.endsWith(alias)) left.drop('alias');
  return { id, amounts, rest: left.rest };
}

/** Section 2.11: values are supported or unconfirmed; lists of words pass as they are. */
function supportedWords(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return wordsIn(value);
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  if (!entries.every(([, one]) => typeof one === 'string' || typeof one === 'boolean')) {
    return undefined;
  }
  return entries
    .filter(([, one]) => one !== false)
    .map(([name, one]) =>
      one === 'supported' || one === true ? name : `${name} (${String(one)})`,
    );
}

/** The fields of an entry by any of their names; what was taken is gone. */
class Fields {
  readonly #left: Map<string, unknown>;

  constructor(record: JsonRecord) {
    this.#left = new Map(Object.entries(record));
  }

  take<Value>(
    wanted: readonly string[],
    read: (value: unknown) => Value | undefined,
  ): Value | undefined {
    for (const name of wanted) {
      for (const [key, value] of this.#left) {
        if (spelling(key) !== name) continue;
        const found = read(value);
        if (found === undefined) continue;
        this.#left.delete(key);
        return found;
      }
    }
    return undefined;
  }

  drop(key: string): void {
    this.#left.delete(key);
  }

  get rest(): JsonRecord {
    return Object.fromEntries(this.#left);
  }
}

function positive(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 ? number : undefined;
}

function booleanOrNull(value: unknown): boolean | null | undefined {
  return typeof value === 'boolean' || value === null ? value : undefined;
}

/** An object of both sides; a list alone says nothing of sides. */
function modalitiesIn(value: unknown): JsonRecord | undefined {
  return isRecord(value) && Object.values(value).every((side) => wordsIn(side)) ? value : undefined;
}

function wordsIn(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  const words = listOf(value).flatMap((one) => textOf(one) ?? []);
  return words.length > 0 && words.length === listOf(value).length ? words : undefined;
}

/** One price. */
interface Amount {
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

interface Amounts {
  readonly amounts: readonly Amount[];
  /** The entry without what was understood. */
  readonly rest: JsonRecord;
}

function amountsIn(entry: JsonRecord): Amounts {
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
