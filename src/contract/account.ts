/** Keys, notification addresses and the description of the service (sections 4.10, 5, 6 and 9). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import { maybe } from './fields.js';

export const listKeys = endpoint({
  id: 'keys.list',
  section: '4.10',
  summary: "List the account's keys",
  method: 'GET',
  path: '/v1/keys',
  auth: 'bearer',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});

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

export const getOpenApi = endpoint({
  id: 'openapi.get',
  section: '4.10',
  summary: 'Show the machine-readable description of the service',
  method: 'GET',
  path: '/api/openapi',
  // Section 5 asks for a key wherever section 4 does not say none.
  auth: 'bearer',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});
