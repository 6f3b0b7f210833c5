import { usageBatches, usagePage } from '../../api/billing.js';
import type { Handler } from '../../cli/declaration.js';
import { historyPage } from '../../contract/limits.js';
import type { list } from './index.js';
import { rangeFrom } from './range.js';
import { drain, sinkFor } from './sink.js';

/** Lists usage records: one page, or every page as a stream. */
export const run: Handler<typeof list> = async (context, { options }) => {
  const { flags, out, clock } = context;
  const { all, page, limit } = options;
  const range = rangeFrom(options, clock.now());
  const client = await context.client();
  const sink = sinkFor(context, options);
  if (all) {
    await drain(context, usageBatches(client, range, limit ?? historyPage.max), sink);
    return;
  }
  const data = await usagePage(client, range, { page, limit });
  if (flags.json) {
    await out.json(data);
    return;
  }
  await sink.write(data.data, true);
  await sink.end(data.data.length);
};
