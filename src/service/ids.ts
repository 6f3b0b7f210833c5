/** Ids that never repeat. A request id proves its account, so it need not be stored. */
import { hash, randomBytes } from 'node:crypto';
import type { Sql } from '../lib/sql.js';
import { secretOf } from './store/accounts.js';

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

export type RandomId = () => string;

/** Made for many ids at once: one call for each takes longer than the rest. */
let pool = Buffer.alloc(0);
let used = 0;

export const randomId: RandomId = () => {
  let id = '';
  while (id.length < 24) {
    if (used === pool.length) [pool, used] = [randomBytes(4096), 0];
    const byte = pool.readUInt8(used++);
    // 252 is the largest multiple of 36 in a byte: beyond it, letters would not be equally likely.
    if (byte < 252) id += alphabet.charAt(byte % 36);
  }
  return id;
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
  const secret = secretOf(store, 'request_ids').toString('base64');
  const digest = hash('sha256', `${secret}/${accountId}/${random}/${secret}`);
  const code = Number.parseInt(digest.slice(0, 12), 16).toString(36);
  return code.padStart(tagLength, '0').slice(-tagLength);
}
