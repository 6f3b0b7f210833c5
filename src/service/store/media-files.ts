/** What is known of the files that an account gave; their bytes are in the store's folder. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

export interface StoredFile {
  readonly id: string;
  readonly accountId: string;
  readonly byteLength: number;
  readonly createdAtMs: number;
}

const Row = z.object({
  id: z.string(),
  account_id: z.string(),
  byte_length: z.number(),
  created_at_ms: z.number(),
});

/** Makes a file known; its bytes must be in place. */
export function addFile(sql: Sql, file: StoredFile): void {
  const { id, accountId, byteLength, createdAtMs } = file;
  sql.run('INSERT INTO media_files VALUES (?, ?, ?, ?)', id, accountId, byteLength, createdAtMs);
}

/** A file by its id, for its owner alone. */
export function findFile(sql: Sql, accountId: string, id: string): StoredFile | undefined {
  const row = sql.get(
    Row,
    'SELECT * FROM media_files WHERE id = ? AND account_id = ?',
    id,
    accountId,
  );
  if (!row) return undefined;
  return { id, accountId, byteLength: row.byte_length, createdAtMs: row.created_at_ms };
}

/** Forgets a file that nothing names. */
export function removeFile(sql: Sql, id: string): void {
  sql.run('DELETE FROM media_files WHERE id = ?', id);
}
