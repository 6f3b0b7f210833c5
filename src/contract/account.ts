/** Keys, notification addresses and the description of the service (sections 4.10, 5, 6 and 9). */
import * as z from 'zod/mini';
import { read, write } from './endpoint.js';
import { text } from './fields.js';

export const listKeys = read('keys.list', '/v1/keys', '4.10', {
  summary: "List the account's keys",
});

export const getWebhooks = read('webhooks.get', '/api/webhooks', '4.10', {
  summary: 'Show notification addresses',
  auth: 'session',
});

export const setWebhooks = write('webhooks.set', '/api/webhooks', '4.10', {
  summary: 'Set notification addresses',
  method: 'PATCH',
  auth: 'session',
  /** Section 4.10 names the two fields; how to clear one is not shown, so null is accepted. */
  body: z.looseObject({ mediaWebhookUrl: text, balanceWebhookUrl: text }),
});

export const getOpenApi = read('openapi.get', '/api/openapi', '4.10', {
  summary: 'Show the machine-readable description of the service',
});
