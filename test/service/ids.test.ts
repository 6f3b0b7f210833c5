import { expect, it } from 'vitest';
import { isOwnRequest, randomId, requestIdOf } from '../../src/service/ids.js';
import { get, keys, openService, openTestStore } from './helpers.js';

it('the id of a request proves whose it is, to the store that gave it', () => {
  const here = openTestStore();
  for (let i = 0; i < 50; i += 1) {
    const id = requestIdOf(here, randomId, 'local');
    expect(id).toMatch(/^req_[a-z0-9]{24}$/);
    expect(isOwnRequest(here, 'local', id)).toBe(true);
    expect(isOwnRequest(here, 'sandbox', id)).toBe(false);
    expect(isOwnRequest(openTestStore(), 'local', id)).toBe(false);
  }
});

it.each(['', 'req_', 'req_x', 'x', 'req_12345678', 'req_0000000000000000ffffffff'])(
  'the id of a request is not %j',
  (id) => {
    expect(isOwnRequest(openTestStore(), 'local', id)).toBe(false);
  },
);

it('the id of a request is invalid with any character changed', () => {
  const here = openTestStore();
  const id = requestIdOf(here, randomId, 'local');
  for (let at = 0; at < id.length; at += 1) {
    const other = id.slice(0, at) + (id.charAt(at) === 'a' ? 'b' : 'a') + id.slice(at + 1);
    expect(isOwnRequest(here, 'local', other), other).toBe(false);
  }
});

it('the id of a request is given with every answer, for any caller and any outcome', async () => {
  const service = openService();
  const ids: (string | null)[] = [];
  for (const key of [null, 'sk-svc-nobody', ...Object.values(keys)]) {
    for (const path of ['/v1/balance', '/v1/tickets', '/nowhere']) {
      ids.push((await get(service, path, key)).headers.get('x-request-id'));
    }
  }
  for (const id of ids) expect(id).toMatch(/^req_[a-z0-9]{24}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
