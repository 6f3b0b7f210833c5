/** Ids that never repeat. A request id proves its account, so it need not be stored. */
import { hash, randomUUID } from 'node:crypto';
import type { Sql } from '../lib/sql.js';
import { secretOf } from './store/accounts.js';

export type RandomId = () => string;

/** 24 letters and digits. */
export const randomId: RandomId = () => {
  const id = randomUUID();
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24, 28);
};

const randomLength = 16;
const tagLength = 8;

export function requestIdOf(store: Sql, newId: RandomId, accountId: string): string {
  const random = newId().slice(-randomLength);
  return `req_${random}${tag(store, accountId, random)}`;
}

export function isOwnRequest(store: Sql, accountId: string, id: string): boolean {
  const [, random = '', proof] = /^req_([a-z0-9]+)([a-z0-9]{8})$/.exec(id) ?? [];
  return random !== '' && proof === tag(store, accountId, random);
}

/** Lower-case letters and digits that only this store can derive from an account and a text. */
function tag(store: Sql, accountId: string, random: string): string {
  const secret = secretOf(store, 'request_ids');
  const digest = hash('sha256', `${secret}/${accountId}/${random}/${secret}`);
  const code = Number.parseInt(digest.slice(0, 12), 16).toString(36);
  return code.padStart(tagLength, '0').slice(-tagLength);
}
