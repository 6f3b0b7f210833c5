/** Which models there are, by every list that names some (sections 2.1, 2.6 and 4.2). */
import { getModel, getPricing, listModels } from '../contract/models.js';
import { ApiError } from '../errors.js';
import { isRecord, recordOf, textOf } from '../lib/json.js';
import { call } from './call.js';
import type { Client } from './client.js';

/** What a model is for, where that is asked; types are words of the service. */
export type ModelKind = 'embedding' | 'decision';

/**
 * The public ids of the models, with no channel pinned: of the list of models, and of the prices,
 * which alone name the models of embeddings and decisions for sure.
 * @param kind what is looked for: prices that tell types, and none of this one, are not all of them.
 * @returns undefined when the service cannot tell all of them.
 * @throws what `call` throws, but for a service that has no such lists.
 */
export async function modelNames(
  client: Client,
  kind?: ModelKind,
): Promise<readonly string[] | undefined> {
  const [listed, priced] = await Promise.all([
    told(call(client, listModels, {}).then(({ data }) => data.data.map(({ id }) => id))),
    told(call(client, getPricing, {}).then(({ data }) => data.data)),
  ]);
  const names = idsIn(priced);
  if (names.length === 0 || (kind !== undefined && lacks(priced, kind))) return undefined;
  return [...new Set([...(listed ?? []), ...names].map(withoutChannel))];
}

/** Whether the service knows a model of that name by itself, whatever its lists leave out. */
export async function isModelThere(client: Client, name: string): Promise<boolean> {
  try {
    const { data } = await call(client, getModel, { params: { id: name } });
    const entry = recordOf(data);
    return [entry, recordOf(entry['data'])].some(({ id, model }) =>
      [id, model].some(
        (one) => typeof one === 'string' && isModelName(name, [withoutChannel(one)]),
      ),
    );
  } catch (error) {
    if (error instanceof ApiError && cannotTell(error)) return false;
    throw error;
  }
}

function lacks(priced: unknown, kind: ModelKind): boolean {
  const entries = Array.isArray(priced) ? priced : Object.values(recordOf(priced));
  const types = entries.flatMap((entry) => textOf(recordOf(entry)['type']) ?? []);
  return types.length > 0 && !types.some((type) => type.toLowerCase().includes(kind));
}

/** Whether a name is one of these: itself, its short form, or with a channel pinned. */
export function isModelName(name: string, known: readonly string[]): boolean {
  const bare = withoutChannel(name);
  return known.some((id) => id === bare || id.slice(id.indexOf('/') + 1) === bare);
}

/** Section 2.1: `model:alias` pins a channel. */
function withoutChannel(name: string): string {
  return name.split(':')[0] ?? '';
}

/** Section 4.10 does not show the price list: an entry is known by its id, or is keyed by it. */
function idsIn(data: unknown): string[] {
  if (Array.isArray(data)) {
    return data
      .filter(isRecord)
      .map((entry) => textOf(entry['id']) ?? textOf(entry['model']) ?? '')
      .filter((id) => id !== '');
  }
  return isRecord(data) ? Object.keys(data) : [];
}

/** A service without a list, or whose list is out of order, may have the model all the same. */
async function told<Names>(asked: Promise<Names>): Promise<Names | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && cannotTell(error)) return undefined;
    throw error;
  }
}

/** Trouble with the key, the money or the pace would meet the call itself, too. */
function cannotTell({ status }: ApiError): boolean {
  return ![401, 402, 403, 429].includes(status);
}
