/** Reads an entry of a list of models (sections 2.6, 2.11, 4.9); unknown fields are `rest`. */
import { isRecord, listOf, numberOf, textOf, type JsonRecord } from '../lib/json.js';
import { takeField } from '../lib/names.js';

/** What an entry says; undefined or empty where it says nothing. A list may complete it. */
export interface ModelFacts {
  id: string;
  type: string | undefined;
  readonly about: string | undefined;
  readonly contextTokens: number | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly amounts: readonly Amount[];
  /** Ids that pin the model to a provider, or their aliases. */
  readonly channels: readonly Channel[];
  /** Whether data is stored in Russia; undefined where it is not stated. */
  readonly storedInRussia: boolean | undefined;
  readonly supports: readonly string[];
  /** The unknown fields. */
  rest: JsonRecord;
}

export interface Channel {
  readonly id: string;
  readonly amounts: readonly Amount[];
  readonly rest: JsonRecord;
}

/** A price with its purpose and unit; an empty purpose means all. */
export interface Amount {
  readonly what: string;
  readonly rub: number;
  readonly per?: string | undefined;
}

/** @param id used where the entry has none */
export function modelFacts(entry: JsonRecord, id = ''): ModelFacts {
  const { amounts, left } = amountsIn(entry);
  left.delete('object');
  const take = <Value>(names: string, read: (value: unknown) => Value | undefined) =>
    takeField(left, names.split(' '), read);
  const channels = take('addresses variants providervariants', channelsIn) ?? [];
  const modalities = take('modalities', modalitiesIn);
  const stored = take('storesdatainrussia', (value) =>
    typeof value === 'boolean' || value === null ? value : undefined,
  );
  return {
    id: take('id model publicid name', textOf) ?? id,
    type: take('type kind', textOf),
    about: take('description summary title displayname name', textOf),
    contextTokens: take('contextlength contexttokens contextwindow', (value) =>
      value === 0 ? undefined : numberOf(value),
    ),
    inputs: wordsIn(modalities?.['input'] ?? take('inputmodalities', wordsIn)) ?? [],
    outputs: wordsIn(modalities?.['output'] ?? take('outputmodalities', wordsIn)) ?? [],
    // Without prices of its own, a model has those of its first channel.
    amounts: amounts.length > 0 ? amounts : (channels[0]?.amounts ?? []),
    channels,
    storedInRussia: stored ?? undefined,
    supports: take('supportedparameters features capabilities', supportIn) ?? [],
    rest: Object.fromEntries(left),
  };
}

/** An object with both sides; a plain list does not say which side it describes. */
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

/** Section 2.11: values are `supported` or `unconfirmed`; a list of words is used unchanged. */
function supportIn(value: unknown): string[] | undefined {
  if (!isRecord(value)) return wordsIn(value);
  const entries = Object.entries(value);
  if (!entries.every(([, one]) => ['string', 'boolean'].includes(typeof one))) return undefined;
  const present = entries.filter(([, one]) => one !== false);
  return present.map(([name, one]) =>
    one === 'supported' || one === true ? name : `${name} (${String(one)})`,
  );
}

function channelsIn(value: unknown): readonly Channel[] | undefined {
  return allOf(value, (one) => {
    if (typeof one === 'string') return { id: one, amounts: [], rest: {} };
    if (!isRecord(one)) return undefined;
    const { amounts, left } = amountsIn(one);
    const id = takeField(left, ['id', 'address', 'name', 'variant', 'alias'], textOf);
    if (id === undefined) return undefined;
    const alias = textOf(left.get('alias'));
    // The alias is the end of the id and adds nothing.
    if (alias !== undefined && id.endsWith(alias)) left.delete('alias');
    return { id, amounts, rest: Object.fromEntries(left) };
  });
}

const holder = /^(pricing|prices?|costs?)$/i;
const priced = /rub|price|cost/i;
const foreign = /usd|eur|dollar/i;

/** The prices of an entry, and its other fields. */
interface AmountsAndRest {
  readonly amounts: readonly Amount[];
  readonly left: Map<string, unknown>;
}

function amountsIn(
  entry: JsonRecord,
  isPrice = (name: string) => priced.test(name),
): AmountsAndRest {
  const amounts: Amount[] = [];
  const left = new Map<string, unknown>();
  for (const [name, value] of Object.entries(entry)) {
    const inner = holder.test(name) && isRecord(value) ? pricesIn(value) : undefined;
    const isOwn = !inner && isPrice(name) && !foreign.test(name);
    // Small prices are often strings.
    const isText = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
    const rub = isOwn ? numberOf(isText ? Number(value) : value) : undefined;
    if (rub !== undefined) amounts.push({ what: whatOf(name), rub, per: perOf(name) });
    amounts.push(...(inner?.amounts ?? []));
    const others = inner ? inner.left.size > 0 : rub === undefined;
    if (others) left.set(name, inner ? Object.fromEntries(inner.left) : value);
  }
  return { amounts, left };
}

/** Prices under a common name: every number among them is one. */
function pricesIn(prices: JsonRecord): AmountsAndRest {
  const { currency = 'RUB', ...fields } = prices;
  const read = amountsIn(fields, () => true);
  const isRub = textOf(currency)?.toUpperCase() === 'RUB';
  const all = new Map(Object.entries(prices));
  return isRub && read.amounts.length > 0 ? read : { amounts: [], left: all };
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

/** How a language writes prices. */
export interface PriceWords {
  /** A number and what it is for: `5.00 in`, `from 2.00`. */
  readonly amount: (number: string, what: string) => string;
  /** Amounts with their currency and unit: `5.00 in, 9.00 out RUB/1M tokens`. */
  readonly inRub: (amounts: string, unit: string | undefined) => string;
}

/** @param per stands before the unit. */
export const englishPrices = (per: string): PriceWords => ({
  amount: (number, what) =>
    isTokens(what) ? `${number} ${what}` : `${what} ${number}`.trimStart(),
  inRub: (amounts, unit) => `${amounts} RUB${unit === undefined ? '' : per + unit}`,
});

/** `100 in, 400 out RUB per 1M tokens`, `from 0.6 RUB`; empty when there is no price. */
export function priceWords(
  amounts: readonly Amount[],
  numberWords: (rub: number) => string = String,
  words: PriceWords = englishPrices(' per '),
): string {
  const units = [...new Set(amounts.map(({ per }) => per))];
  const ofUnit = (unit: string | undefined) => {
    const own = amounts.filter((amount) => amount.per === unit);
    const parts = own.map(({ what, rub }) => words.amount(numberWords(rub), what));
    return words.inRub(parts.join(', '), unit);
  };
  return units.map(ofUnit).join('; ');
}

/** What a list shows: the prices of input and output in one unit, or the first of another kind. */
export function listedPrices(amounts: readonly Amount[]): readonly (Amount | undefined)[] {
  const tokens = amounts.find(({ what }) => isTokens(what));
  const of = (word: string) =>
    amounts.find(({ what, per }) => what === word && per === tokens?.per);
  return tokens ? [of('in'), of('out')] : [amounts[0], undefined];
}

const isTokens = (what: string) => what === 'in' || what === 'out';

/** Models paid by tokens come first, then those paid in other ways, then those without a price. */
export function priceRank(amounts: readonly Amount[]): readonly [group: number, rub: number] {
  if (amounts.length === 0) return [2, 0];
  const tokens = amounts.filter(({ what }) => isTokens(what));
  if (tokens.length === 0) return [1, Math.min(...amounts.map(({ rub }) => rub))];
  const millions = tokens.map(({ rub, per }) => rub * (per === '1K tokens' ? 1000 : 1));
  return [0, millions.reduce((sum, rub) => sum + rub, 0)];
}

/** The types of the models for each kind of request; those for audio may transcribe, or make sounds. */
export const types = {
  chat: /^(text|chat|llm|language)/i,
  image: /^image/i,
  speech: /^audio$|speech|voice|tts/i,
  video: /^video/i,
  transcription: /^audio$|transcri|asr|stt/i,
  music: /^music/i,
  audio: /^audio$/i,
  '3d': /^3d/i,
  embedding: /embed/i,
  decision: /decision/i,
} as const;

/** What a model is used for: each kind has a default of its own. */
export type UsedKind = keyof typeof types;

const isUsedKind = (word: string): word is UsedKind => Object.hasOwn(types, word);

/** Every kind of use, as the settings of the defaults name them. */
export const usedKinds = Object.keys(types).filter(isUsedKind);

/** Whether a model is meant for requests of a kind. */
export function fits(kind: UsedKind, { type = '', inputs, outputs }: ModelFacts): boolean {
  if (!types[kind].test(type)) return false;
  if (!types.audio.test(type)) return true;
  const [hears, sounds] = [inputs.includes('audio'), outputs.includes('audio')];
  if (kind === 'speech') return sounds && !hears;
  return (kind === 'transcription') === (hears && !sounds);
}
