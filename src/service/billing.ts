/** Balance, spend, usage records and keys of an account. */
import { listUsage as row } from '../contract/billing.js';
import { historyPage } from '../contract/limits.js';
import { calendarAt } from '../lib/moment.js';
import { dateOf, json, type Call, type Reply } from './call.js';
import { assertHolds, badRequest } from './failure.js';
import { toRub } from './charge.js';
import { balanceMicroRub } from './store/accounts.js';
import { keys as keyTable } from './store/tables.js';
import { findUsage, keyTotals, listUsage, usageByKey, type Usage } from './store/usage.js';

export function balance({ app, caller }: Call): Reply {
  const left = balanceMicroRub(app.store, caller.accountId);
  return json({ balance_rub: toRub(left), currency: 'RUB' });
}

/** GET /v1/generations: newest first; both dates are included. */
export function history(call: Call): Reply {
  const query = call.query(row.query);
  const page = query.page ?? 1;
  const limit = query.limit ?? historyPage.default;
  const filter = {
    accountId: call.caller.accountId,
    fromMs: query.dateFrom === undefined ? 0 : Date.parse(query.dateFrom),
    toMs: query.dateTo === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(query.dateTo),
  };
  if (filter.fromMs > filter.toMs)
    throw badRequest('dateFrom must not be after dateTo', 'dateFrom');
  const { records, total } = listUsage(call.app.store, filter, page, limit);
  return json({ data: records.map(record), page, limit, total });
}

export function show(call: Call): Reply {
  const usage = findUsage(call.app.store, call.caller.accountId, call.param('id'));
  assertHolds(usage, 404, 'generation_not_found', 'there is no such usage record');
  return json(record(usage));
}

/** GET /api/key/usage; days and months start at the local midnight, as svc's own do. */
export function keyUsage({ app, caller }: Call): Reply {
  const { day, month } = calendarAt(app.clock.now());
  const since = (ms: number) => keyTotals(app.store, caller.keyHash, ms);
  return json({
    key: caller.keyName,
    balance_rub: toRub(balanceMicroRub(app.store, caller.accountId)),
    currency: 'RUB',
    spent_today_rub: toRub(since(day.startMs).priceMicroRub),
    spent_month_rub: toRub(since(month.startMs).priceMicroRub),
    requests: since(0).requests,
  });
}

export function byKey({ app, caller }: Call): Reply {
  const used = usageByKey(app.store, caller.accountId);
  const data = used.map(({ key, model, route, requests, priceMicroRub, ...tokens }) => {
    const names = { key, model, route, address_as: model + route };
    return { ...names, requests, ...tokens, priceRub: toRub(priceMicroRub) };
  });
  return json({ object: 'list', data });
}

/** GET /v1/keys: without the keys themselves, which the store does not have. */
export function keys({ app, caller }: Call): Reply {
  const { store, brand } = app;
  const data = keyTable.all(store, { accountId: caller.accountId }, 'ORDER BY name').map((key) => {
    const paidCalls = 'SELECT max(created_at_ms) FROM usage WHERE key_hash = ?';
    const lastUsedAtMs = store.number(paidCalls, key.hash);
    return {
      id: `key_${key.hash.slice(0, 16)}`,
      object: 'api_key',
      name: key.name,
      prefix: brand.keyPrefix,
      // A key of the embedded service is the prefix and its name.
      last_four: key.name.slice(-4),
      ip_allow_list: key.allowList,
      sandbox: key.sandbox,
      created_at: dateOf(key.createdAtMs),
      last_used_at: dateOf(lastUsedAtMs),
    };
  });
  return json({ object: 'list', data });
}

function record({ id, model, route, promptTokens, completionTokens, ...usage }: Usage) {
  const priceRub = toRub(usage.priceMicroRub);
  const createdAt = dateOf(usage.createdAtMs);
  const facts = { id, model, promptTokens, completionTokens, priceRub, createdAt };
  return { ...facts, route, address_as: model + route, refundOf: usage.refundOf };
}
