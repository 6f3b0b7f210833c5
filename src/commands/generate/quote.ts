/** --quote: what it would cost, with nothing made. */
import { askPrice } from '../../api/media/quote.js';
import type { Context } from '../../cli/context.js';
import { ConfigError } from '../../errors.js';
import { openJobs } from '../../jobs/world.js';
import type { Draft } from './draft.js';
import { knownModel } from './model.js';
import { quoteRows } from './money.js';
import { orderFrom, sendSources, withoutSending, type Order } from './order.js';

/**
 * Prices a request: with the key of the profile, or by the public price without one.
 * @throws as making it would.
 */
export async function showQuote(
  context: Context,
  draft: Draft,
  { refresh }: { refresh: boolean },
): Promise<void> {
  const { out, flags } = context;
  const client = await context.client({ key: 'optional' });
  const order = client.key === undefined ? await keyless(draft) : await keyed();
  const isRehearsal = flags.dryRun || flags.curl;
  const ready = isRehearsal ? withoutSending(order, flags.curl) : await sendSources(client, order);
  const quote = await askPrice(client, ready.body, ready.payload());
  if (flags.json) await out.json(quote.reply);
  else await out.table([{ title: 'WHAT' }, { title: 'VALUE' }], quoteRows(quote));

  async function keyed(): Promise<Order> {
    const { account } = await openJobs(context);
    const { capability } = await knownModel({ context, client, account, refresh }, draft.model);
    return orderFrom(draft, capability);
  }
}

/** Without a key nothing is told of a model, and nothing can be uploaded. */
async function keyless(draft: Draft): Promise<Order> {
  const order = await orderFrom(draft, undefined);
  if (order.filled.every(({ form }) => form !== 'file_id')) return order;
  throw new ConfigError('a local file is uploaded with a key, and no key is known', {
    code: 'no_key',
    hint: 'run `svc login`, or send the file with the request: --inline',
  });
}
