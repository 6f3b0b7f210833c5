/** What the price list and the public catalogs tell of models (sections 2.11, 4.2 and 4.9). */
import { getMediaCatalog } from '../contract/media.js';
import { getCatalog, getPricing } from '../contract/models.js';
import { isRecord, type JsonRecord } from '../lib/json.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { modelFacts, type ModelFacts } from './model-facts.js';

/** A list of models, in the shapes that lists have. */
export interface Entries {
  readonly entries: readonly JsonRecord[];
  /** What stands beside the list. */
  readonly rest: JsonRecord;
}

/** The entries of a list, of the list in an object, or of an object keyed by id. */
export function entriesIn(data: unknown): Entries | undefined {
  if (Array.isArray(data)) return allRecords(data) ? { entries: data, rest: {} } : undefined;
  if (!isRecord(data)) return undefined;
  for (const name of ['data', 'models', 'catalog', 'items', 'tools']) {
    const { [name]: list, ...rest } = data;
    const found = list === undefined ? undefined : entriesIn(list);
    if (found) return { entries: found.entries, rest };
  }
  const keyed = Object.entries(data);
  if (keyed.length === 0 || !keyed.every(([, value]) => isRecord(value))) return undefined;
  return {
    entries: keyed.flatMap(([id, value]) => (isRecord(value) ? [{ id, ...value }] : [])),
    rest: {},
  };
}

function allRecords(list: readonly unknown[]): list is readonly JsonRecord[] {
  return list.every(isRecord);
}

/** @throws what `call` throws. */
export async function pricingFacts(client: Client): Promise<ModelFacts[]> {
  const { data } = await call(client, getPricing, {});
  return (entriesIn(data.data)?.entries ?? []).map((entry) => modelFacts(entry));
}

/** @throws what `call` throws. */
export async function catalogFacts(client: Client): Promise<ModelFacts[]> {
  return (await catalogEntries(client)).map((entry) => modelFacts(entry));
}

/** Each text model as the catalog has it. @throws what `call` throws. */
export async function catalogEntries(client: Client): Promise<readonly JsonRecord[]> {
  return entriesIn(await fetchCatalog(client))?.entries ?? [];
}

/** Catalogs of many channels are large; more than this is no catalog. */
const limits = { maxBytes: 64 * 1024 * 1024, maxValues: 5_000_000 };

/** The public catalog of text models, as it came; no key is sent. @throws what `call` throws. */
export async function fetchCatalog(client: Client): Promise<unknown> {
  return (await call(client, getCatalog, {}, limits)).data;
}

/** The public catalog of media models, as it came; no key is sent. @throws what `call` throws. */
export async function fetchMediaCatalog(client: Client): Promise<JsonRecord> {
  return (await call(client, getMediaCatalog, {}, limits)).data;
}
