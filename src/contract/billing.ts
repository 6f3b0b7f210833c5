/** Balance, spend and usage records (sections 2.10, 4.7 and 4.10). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import * as limits from './limits.js';

/** Section 2.10. */
export const Balance = z.looseObject({
  balance_rub: z.number(),
  currency: z.optional(z.string()),
});

/** Section 2.10; the names of the route fields are not shown. */
export const UsageRecord = z.looseObject({
  id: z.string(),
  model: z.optional(z.string()),
  promptTokens: z.optional(z.nullable(z.number())),
  completionTokens: z.optional(z.nullable(z.number())),
  priceRub: z.optional(z.nullable(z.number())),
  createdAt: z.optional(z.string()),
});

/** Section 2.10. */
export const UsageHistory = z.looseObject({
  data: z.array(UsageRecord),
  page: z.optional(z.number()),
  limit: z.optional(z.number()),
  total: z.optional(z.number()),
});

/** Section 4.7. */
const HistoryQuery = z.looseObject({
  page: z.optional(z.coerce.number().check(z.int(), z.gte(1))),
  limit: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.historyPage.max))),
  dateFrom: z.optional(z.string()),
  dateTo: z.optional(z.string()),
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

export const listUsage = endpoint({
  id: 'billing.history',
  section: '4.7',
  summary: 'List usage records, newest first',
  method: 'GET',
  path: '/v1/generations',
  auth: 'bearer',
  retry: 'safe',
  query: HistoryQuery,
  returns: UsageHistory,
  statuses: [200, 400, 401],
});

export const getUsageRecord = endpoint({
  id: 'billing.record',
  section: '4.7',
  summary: 'Show one usage record',
  method: 'GET',
  path: '/v1/generations/{id}',
  auth: 'bearer',
  retry: 'safe',
  // Section 4.10: the body of a single record is not shown.
  returns: z.unknown(),
  statuses: [200, 401, 404],
});

export const getKeyUsage = endpoint({
  id: 'billing.keyUsage',
  section: '4.10',
  summary: 'Show balance, spend and request count of the key',
  method: 'GET',
  path: '/api/key/usage',
  auth: 'key',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});

export const getUsageByKey = endpoint({
  id: 'billing.usageByKey',
  section: '4.10',
  summary: 'Show statistics of each key',
  method: 'GET',
  path: '/v1/usage',
  auth: 'bearer',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});
