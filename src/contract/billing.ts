/** Balance, spend and usage records (sections 2.10, 4.7 and 4.10). */
import * as z from 'zod/mini';
import { read } from './endpoint.js';
import { maybe, queryInteger } from './fields.js';
import * as limits from './limits.js';

export const Balance = z.looseObject({ balance_rub: z.number(), currency: maybe(z.string()) });

export const getBalance = read('billing.balance', '/v1/balance', '4.7', {
  summary: 'Show the prepaid balance',
  returns: Balance,
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

const HistoryQuery = z.looseObject({
  page: z.optional(queryInteger({})),
  limit: z.optional(queryInteger(limits.historyPage)),
  dateFrom: z.optional(DateTime),
  dateTo: z.optional(DateTime),
});

export const listUsage = read('billing.history', '/v1/generations', '4.7', {
  summary: 'List usage records, newest first',
  query: HistoryQuery,
  returns: UsageHistory,
});

export const getUsageRecord = read('billing.record', '/v1/generations/{id}', '4.7', {
  summary: 'Show one usage record',
  statuses: [200, 401, 404],
});

export const getKeyUsage = read('billing.keyUsage', '/api/key/usage', '4.10', {
  summary: 'Show balance, spend and request count of the key',
  auth: 'key',
});

export const getUsageByKey = read('billing.usageByKey', '/v1/usage', '4.10', {
  summary: 'Show statistics of each key',
});
