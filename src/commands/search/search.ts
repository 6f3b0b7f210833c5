import { search as ask } from '../../api/search.js';
import type { Handler } from '../../cli/declaration.js';
import { costFor, tellCost } from '../cost.js';
import { mayCost } from '../may-cost.js';
import type { search } from './index.js';
import { questionFrom } from './question.js';
import { showResults, showUrls } from './show.js';

/** Searches the web and shows the results. */
export const run: Handler<typeof search> = async (context, input) => {
  const { out, flags } = context;
  const question = await questionFrom(context, input);
  const client = await context.client();
  const { results, reply, ids, costRub } = await mayCost(context, client, (paying) =>
    ask(paying, question),
  );
  if (!flags.json) {
    if (results.length === 0) out.note('nothing was found');
    await (input.options.urls ? showUrls(out, results) : showResults(out, results));
  }
  const cost = await costFor(context, client, { ids, priceRub: costRub });
  if (flags.json) await out.json({ ...reply, cost, ids });
  tellCost(context, cost);
};
