/** Which models there are, by every list that names some (sections 2.1, 2.6 and 4.2). */
import { getModel, listModels } from '../contract/models.js';
import { ApiError } from '../errors.js';
import { recordOf } from '../lib/json.js';
import { call } from './call.js';
import type { Client } from './client.js';
import type { ModelFacts } from './model-facts.js';
import { pricingFacts } from './model-lists.js';

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
  const [listed = [], priced = []] = await Promise.all([
    told(call(client, listModels, {}).then(({ data }) => data.data.map(({ id }) => id))),
    told(pricingFacts(client)),
  ]);
  const names = priced.map(({ id }) => id).filter((id) => id !== '');
  if (names.length === 0 || (kind !== undefined && lacks(priced, kind))) return undefined;
  return [...new Set([...listed, ...names].map(withoutChannel))];
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

function lacks(priced: readonly ModelFacts[], kind: ModelKind): boolean {
  const types = priced.flatMap(({ type }) => type ?? []);
  return types.length > 0 && !types.some((type) => type.toLowerCase().includes(kind));
}

/** Whether a name is one of these: itself, its short form, or with a channel pinned. */
export function isModelName(name: string, known: readonly string[]): boolean {
  const bare = withoutChannel(name);
  return known.some((id) => id === bare || id.slice(id.indexOf('/') + 1) === bare);
}

/** Section 2.1: `model:alias` pins a channel. */
export function withoutChannel(name: string): string {
  return name.split(':')[0] ?? '';
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
