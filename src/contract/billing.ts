/** Balance, spend and usage records (sections 2.10, 4.7 and 4.10). */
import * as z from 'zod/mini';
import { read } from './endpoint.js';
import { queryInteger, text, number } from './fields.js';
import * as limits from './limits.js';

export const Balance = z.looseObject({ balance_rub: z.number(), currency: text });

export const getBalance = read('billing.balance', '/v1/balance', '4.7', {
  summary: 'Show the prepaid balance',
  returns: Balance,
});

/** Section 2.10; the names of the route fields are not shown. */
const UsageRecord = z.looseObject({
  id: z.string(),
  model: text,
  promptTokens: number,
  completionTokens: number,
  priceRub: number,
  createdAt: text,
});

export const UsageHistory = z.looseObject({
  data: z.array(UsageRecord),
  page: number,
  limit: number,
  total: number,
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
