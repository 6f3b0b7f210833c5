import { fetchCatalog } from '../../api/models.js';
import { priceWords } from '../../api/model-facts.js';
import type { Handler } from '../../cli/declaration.js';
import type { catalog } from './index.js';
import { storageWords } from './listing.js';
import { showModels } from './show-models.js';

/** Shows the public catalog of text models; no key is needed, and none is sent. */
export const run: Handler<typeof catalog> = async (context, { options }) => {
  const data = await fetchCatalog(await context.client({ key: 'optional' }));
  await showModels(context, data, options, {
    columns: [
      { title: 'MODEL' },
      { title: 'PRICE' },
      { title: 'CONTEXT', align: 'right' },
      { title: 'STORED' },
      { title: 'VARIANTS' },
    ],
    row: ({ facts }) => [
      facts.id,
      priceWords(facts.amounts),
      facts.contextTokens?.toString() ?? '',
      storageWords(facts),
      facts.channels.map(({ id }) => id.split(':').at(-1) ?? id).join(', '),
    ],
  });
};
