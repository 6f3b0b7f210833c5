/** Where the account's notifications go; for a cabinet session alone. */
import { setWebhooks as row } from '../contract/account.js';
import { json, type Call } from './call.js';
import { badRequest } from './failure.js';
import { webhookFault } from './notify/address.js';
import { setWebhooks, webhooksOf, type Webhooks } from './store/webhooks.js';

/** GET /api/webhooks */
export function show({ house, caller }: Call): Response {
  return reply(webhooksOf(house.store, caller.accountId));
}

/** PATCH /api/webhooks: what is left out stays; null or an empty text takes an address away. */
export async function change(call: Call): Promise<Response> {
  const { house, caller } = call;
  const body = await call.body(row.body);
  const address = (name: 'mediaWebhookUrl' | 'balanceWebhookUrl') => {
    const value = body[name];
    if (value === null || value === '') return null;
    const fault =
      value === undefined ? undefined : webhookFault(value, house.media.loopbackWebhooks);
    if (fault !== undefined) throw badRequest(`${name} ${fault}`, name);
    return value;
  };
  const mediaUrl = address('mediaWebhookUrl');
  const balanceUrl = address('balanceWebhookUrl');
  const wanted = {
    ...(mediaUrl === undefined ? {} : { mediaUrl }),
    ...(balanceUrl === undefined ? {} : { balanceUrl }),
  };
  return reply(setWebhooks(house.store, caller.accountId, wanted));
}

function reply({ mediaUrl, balanceUrl }: Webhooks): Response {
  return json({ mediaWebhookUrl: mediaUrl, balanceWebhookUrl: balanceUrl });
}
