/** The account's keys, as far as they may be shown. */
import { json, type Call } from './call.js';
import { keysOf } from './store/keys.js';

/** GET /v1/keys: never a key itself; the store does not have it. */
export function list({ house, caller }: Call): Response {
  const data = keysOf(house.store, caller.accountId).map((key) => ({
    id: `key_${key.hash.slice(0, 16)}`,
    object: 'api_key',
    name: key.name,
    prefix: house.brand.keyPrefix,
    // A key of the embedded service is the prefix and its name.
    last_four: key.name.slice(-4),
    ip_allow_list: key.allowList,
    sandbox: key.isSandbox,
    created_at: new Date(key.createdAtMs).toISOString(),
    last_used_at: key.lastUsedAtMs === null ? null : new Date(key.lastUsedAtMs).toISOString(),
  }));
  return json({ object: 'list', data });
}
