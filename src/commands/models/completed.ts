/** Fills in what a list of models does not tell, where an order needs it. */
import type { Client } from '../../api/client.js';
import { catalogFacts, pricingFacts } from '../../api/models.js';
import type { ModelFacts } from '../../api/model-facts.js';
import type { Context } from '../../cli/context.js';
import type { Listed, Order } from './listing.js';

/**
 * The same models with prices from the price list, or contexts from the catalog, where an order
 * by them was asked for and the list itself has none (section 2.6 does not show whether it has).
 */
export async function completed(
  { out }: Context,
  client: Client,
  models: readonly Listed[],
  sort: Order | undefined,
): Promise<readonly Listed[]> {
  if (models.length === 0 || sort === undefined || sort === 'name') return models;
  const tells = ({ amounts, contextTokens }: ModelFacts) =>
    sort === 'price' ? amounts.length > 0 : contextTokens !== undefined;
  if (models.some(({ facts }) => tells(facts))) return models;
  const told = sort === 'price' ? await pricingFacts(client) : await catalogFacts(client);
  const byId = new Map(told.map((facts) => [facts.id, facts]));
  const filled = models.map((model) => {
    const found = byId.get(model.facts.id) ?? byId.get(model.facts.id.split(':')[0] ?? '');
    if (!found) return model;
    const { amounts, contextTokens } = found;
    return { ...model, facts: { ...model.facts, amounts, contextTokens } };
  });
  if (!filled.some(({ facts }) => tells(facts))) {
    out.warn(`the service tells no ${sort} of these models; they are sorted by name`);
  }
  return filled;
}
