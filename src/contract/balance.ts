/** The prepaid balance (sections 2.10 and 4.7), apart from billing.ts so that `balance` starts fast. */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import { maybe } from './reply.js';

/** Section 2.10. */
export const Balance = z.looseObject({
  balance_rub: z.number(),
  currency: maybe(z.string()),
});

export const getBalance = endpoint({
  id: 'billing.balance',
  section: '4.7',
  summary: 'Show the prepaid balance',
  method: 'GET',
  path: '/v1/balance',
  auth: 'bearer',
  retry: 'safe',
  returns: Balance,
  statuses: [200, 401],
});
