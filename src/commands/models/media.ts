import { fetchMediaCatalog } from '../../api/models.js';
import { priceWords } from '../../api/model-facts.js';
import type { Handler } from '../../cli/declaration.js';
import { listOf, textOf } from '../../lib/json.js';
import type { media } from './index.js';
import { showModels } from './show-models.js';

/** Shows the public catalog of media models; no key is needed, and none is sent. */
export const run: Handler<typeof media> = async (context, { options }) => {
  const data = await fetchMediaCatalog(await context.client({ key: 'optional' }));
  if (!context.flags.json) warnOfPrices(context.out, data);
  await showModels(context, data, options, {
    columns: [
      { title: 'MODEL' },
      { title: 'KIND' },
      { title: 'PRICE' },
      { title: 'VARIANTS' },
      { title: 'OPTIONS' },
    ],
    row: ({ facts }) => [
      facts.id,
      facts.type ?? '',
      priceWords(facts.amounts),
      facts.channels.map(({ id }) => id.split(':').at(-1) ?? id).join(', '),
      listOf(facts.rest['params'])
        .map((one) => textOf(one) ?? JSON.stringify(one))
        .join(', '),
    ],
  });
};

/** Section 2.11: what the catalog says of its own prices. */
function warnOfPrices(
  out: Parameters<typeof run>[0]['out'],
  data: Readonly<Record<string, unknown>>,
): void {
  if (data['pricesArePlaceholder'] === true) out.warn('the prices are placeholders');
  else if (data['pricesAreEstimate'] === true) out.note('the prices are estimates');
  if (data['videoDisabled'] === true) out.warn('videos are switched off now');
}
