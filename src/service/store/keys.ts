/** The keys of an account. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

const KeyRow = z.pipe(
  z.object({
    hash: z.string(),
    name: z.string(),
    allow_list: z.string(),
    sandbox: z.number(),
    created_at_ms: z.number(),
    last_used_at_ms: z.nullable(z.number()),
  }),
  z.transform((row) => ({
    hash: row.hash,
    name: row.name,
    allowList: z.array(z.string()).parse(JSON.parse(row.allow_list)),
    isSandbox: row.sandbox === 1,
    createdAtMs: row.created_at_ms,
    /** Of its last paid call. */
    lastUsedAtMs: row.last_used_at_ms,
  })),
);

export type KeyEntry = z.output<typeof KeyRow>;

/** By name. */
export function keysOf(sql: Sql, accountId: string): KeyEntry[] {
  return sql.all(
    KeyRow,
    `SELECT hash, name, allow_list, sandbox, created_at_ms,
       (SELECT max(created_at_ms) FROM usage WHERE key_hash = hash) AS last_used_at_ms
     FROM keys WHERE account_id = ? ORDER BY name`,
    accountId,
  );
}
