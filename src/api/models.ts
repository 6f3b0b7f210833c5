/** Model names from every list (sections 2.1, 2.6, 2.11, 4.2 and 4.9). */
import { getModel, listModels, getCatalog, getPricing } from '../contract/models.js';
import { ApiError } from '../errors.js';
import { isRecord, recordOf, textOf, type JsonRecord } from '../lib/json.js';
import { call } from './call.js';
import { hurried, type Client } from './client.js';
import { type FoundList, listIn } from './found-list.js';
import { type ModelFacts, modelFacts, priceRank } from './model-facts.js';

/** Public ids without channels; undefined when the price list has none of that kind. */
export async function modelNames(
  client: Client,
  kind?: 'embedding' | 'decision',
): Promise<readonly string[] | undefined> {
  const [listed = [], priced = []] = await Promise.all([
    ifListed(call(client, listModels, {}).then(({ data }) => data.data.map(({ id }) => id))),
    ifListed(pricingFacts(client)),
  ]);
  const names = priced.map(({ id }) => id).filter((id) => id !== '');
  const types = priced.flatMap(({ type }) => type?.toLowerCase() ?? []);
  const isOfKind = (type: string) => kind === undefined || type.includes(kind);
  if (names.length === 0 || (types.length > 0 && !types.some(isOfKind))) return undefined;
  return [...new Set([...listed, ...names].map(withoutChannel))];
}

export async function isModelThere(client: Client, name: string): Promise<boolean> {
  const reply = await ifListed(call(client, getModel, { params: { id: name } }));
  const entry = recordOf(reply?.data);
  return [entry, recordOf(entry['data'])]
    .flatMap(({ id, model }) => [textOf(id), textOf(model)])
    .some((one) => one !== undefined && isModelName(name, [withoutChannel(one)]));
}

export function isModelName(name: string, known: readonly string[]): boolean {
  const bare = withoutChannel(name);
  return known.some((id) => id === bare || id.slice(id.indexOf('/') + 1) === bare);
}

/** Section 2.1: `model:alias` pins a channel. */
export function withoutChannel(name: string): string {
  return name.split(':')[0] ?? '';
}

/** A service may have the model even though its list is missing or broken. */
function ifListed<Names>(listing: Promise<Names>): Promise<Names | undefined> {
  return listing.catch((error: unknown) => {
    if (isOfTheList(error)) return undefined;
    throw error;
  });
}

/** Errors of the key, the balance or the rate limit would also fail the call itself. */
export function isOfTheList(error: unknown): error is ApiError {
  return error instanceof ApiError && ![401, 402, 403, 429].includes(error.status);
}

/** The entries of a list, or of an object keyed by id, and the other fields of a list. */
export function entriesIn(data: unknown): FoundList | undefined {
  const keyed = Object.entries(recordOf(data));
  const isKeyed = keyed.length > 0 && keyed.every(([, value]) => isRecord(value));
  if (!isKeyed) return listIn(data);
  const entries = keyed.map(([id, value]) => ({ id, ...recordOf(value) }));
  return { entries, rest: {}, holding: (others) => others };
}

export async function pricingFacts(client: Client): Promise<ModelFacts[]> {
  const { data } = await call(client, getPricing, {});
  return (entriesIn(data.data)?.entries ?? []).map((entry) => modelFacts(entry));
}

export async function catalogEntries(client: Client): Promise<readonly JsonRecord[]> {
  return entriesIn(await fetchCatalog(client))?.entries ?? [];
}

/** Catalogs of many channels are large; anything larger is not a catalog. */
const limits = { maxBytes: 64 * 1024 * 1024, maxValues: 5_000_000 };

export async function fetchCatalog(client: Client): Promise<unknown> {
  return (await call(client, getCatalog, {}, limits)).data;
}

export async function fetchMediaCatalog(client: Client): Promise<JsonRecord> {
  const { getMediaCatalog } = await import('../contract/media.js');
  return (await call(client, getMediaCatalog, {}, limits)).data;
}

/** The models of an account, the cheapest first. */
interface AccountModels {
  readonly models: readonly ModelFacts[];
  /** False where a list failed that the service may have. */
  readonly isWhole: boolean;
}

export async function accountModels(client: Client): Promise<AccountModels> {
  const limited = hurried(client, 5000);
  const lists = await Promise.allSettled([
    call(limited, listModels, { query: { all: 'true' } }).then(({ data }) => data.data),
    fetchMediaCatalog(limited).then((data) => entriesIn(data)?.entries ?? []),
    call(limited, getPricing, {}).then(({ data }) => entriesIn(data.data)?.entries ?? []),
  ]);
  client.signal.throwIfAborted();
  const entries = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  const byId = new Map<string, ModelFacts>();
  for (const facts of entries.map((entry) => modelFacts(recordOf(entry)))) {
    const known = byId.get(facts.id) ?? facts;
    const { amounts } = known.amounts.length > 0 ? known : facts;
    byId.set(facts.id, { ...known, amounts, type: known.type ?? facts.type });
  }
  const models = [...byId.values()].sort((one, other) => {
    const [group, rub] = priceRank(one.amounts);
    const [otherGroup, otherRub] = priceRank(other.amounts);
    return group - otherGroup || rub - otherRub;
  });
  // A gateway without a list answers with a page, or a refusal.
  const isMissing = (error: unknown) => isOfTheList(error) && error.status < 500;
  const isWhole = lists.every((list) => list.status === 'fulfilled' || isMissing(list.reason));
  return { models, isWhole };
}
