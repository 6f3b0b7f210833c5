/** The id of a request, which proves whose request it was: nothing has to be kept of it. */
import { createHmac } from 'node:crypto';
import type { House } from './call.js';
import { secretOf } from './store/secrets.js';

const randomLength = 16;
const tagLength = 8;

/** The id of a request that nobody has been found to have made. */
export function anonymousRequestId({ newId }: Pick<House, 'newId'>): string {
  return `req_${newId()}`;
}

/** The id of a request that an account made. */
export function requestIdOf(house: Pick<House, 'newId' | 'store'>, accountId: string): string {
  const random = house.newId().slice(-randomLength);
  return `req_${random}${tag(house, accountId, random)}`;
}

/** Whether this is the id of a request that the account made. */
export function isRequestOf(house: Pick<House, 'store'>, accountId: string, id: string): boolean {
  const found = /^req_([a-z0-9]+)$/.exec(id)?.[1] ?? '';
  if (found.length <= tagLength) return false;
  const random = found.slice(0, -tagLength);
  return found.slice(-tagLength) === tag(house, accountId, random);
}

/** Lower-case letters and digits that only this store can find for an account and a text. */
function tag({ store }: Pick<House, 'store'>, accountId: string, random: string): string {
  const digest = createHmac('sha256', secretOf(store, 'request_ids'))
    .update(`${accountId}/${random}`)
    .digest();
  return digest.readBigUInt64BE().toString(36).padStart(tagLength, '0').slice(-tagLength);
}
