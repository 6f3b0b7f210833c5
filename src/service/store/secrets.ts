/** Secrets of the store's own, made when they are first needed. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

/** What a secret signs. */
type Purpose = 'media_links' | 'request_ids' | 'webhooks';

const SecretRow = z.object({ value: z.string() });
const secretBytes = 32;

/** The 32 bytes of a secret; every process that uses the store gets the same. */
export function secretOf(sql: Sql, purpose: Purpose): Buffer {
  const find = () => sql.get(SecretRow, 'SELECT value FROM secrets WHERE name = ?', purpose);
  let row = find();
  if (!row) {
    const value = randomBytes(secretBytes).toString('base64');
    sql.run('INSERT OR IGNORE INTO secrets VALUES (?, ?)', purpose, value);
    row = find();
  }
  return Buffer.from(row?.value ?? '', 'base64');
}
