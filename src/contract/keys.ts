/** The account's keys (section 4.10). They are created only in the cabinet (section 5). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';

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
