/** Balance, spend and usage records (sections 2.10, 4.7 and 4.10). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';
import { maybe, queryInteger } from './fields.js';
import * as limits from './limits.js';

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

/** Section 2.10; the names of the route fields are not shown. */
const UsageRecord = z.looseObject({
  id: z.string(),
  model: maybe(z.string()),
  promptTokens: maybe(z.number()),
  completionTokens: maybe(z.number()),
  priceRub: maybe(z.number()),
  createdAt: maybe(z.string()),
});

/** Section 2.10. */
export const UsageHistory = z.looseObject({
  data: z.array(UsageRecord),
  page: maybe(z.number()),
  limit: maybe(z.number()),
  total: maybe(z.number()),
});

const DateTime = z.iso.datetime({
  offset: true,
  error: 'must be a date and time such as 2026-01-31T00:00:00Z',
});

/** Section 4.7. */
const HistoryQuery = z.looseObject({
  page: z.optional(queryInteger({})),
  limit: z.optional(queryInteger(limits.historyPage)),
  dateFrom: z.optional(DateTime),
  dateTo: z.optional(DateTime),
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
  statuses: [200, 401],
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
