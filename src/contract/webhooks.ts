/** The account's notification addresses, for a cabinet session only (sections 4.10, 5 and 6). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import { maybe } from './reply.js';

/** Section 4.10 names the two fields; how one is emptied is not shown, so null passes. */
export const WebhooksRequest = z.looseObject({
  mediaWebhookUrl: maybe(z.string()),
  balanceWebhookUrl: maybe(z.string()),
});

export const getWebhooks = endpoint({
  id: 'webhooks.get',
  section: '4.10',
  summary: 'Show where notifications go',
  method: 'GET',
  path: '/api/webhooks',
  auth: 'session',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});

export const setWebhooks = endpoint({
  id: 'webhooks.set',
  section: '4.10',
  summary: 'Set where notifications go',
  method: 'PATCH',
  path: '/api/webhooks',
  auth: 'session',
  retry: 'never',
  body: WebhooksRequest,
  returns: z.unknown(),
  statuses: [200, 401],
});
