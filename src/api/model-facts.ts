/**
 * What an entry of a list of models tells, under whatever names (sections 2.6, 2.11, 4.9: most are
 * not shown). Nothing is dropped: what is not understood stays in `rest`.
 */
import { isRecord, listOf, numberOf, textOf, type JsonRecord } from '../lib/json.js';
import { spelling } from '../lib/names.js';
import { amountsIn, type Amount } from './model-prices.js';

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
