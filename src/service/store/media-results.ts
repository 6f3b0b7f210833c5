/** What is known of the files that jobs made; their bytes are in the store's folder. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

export interface Result {
  readonly jobId: string;
  /** Counted from 0. */
  readonly index: number;
  readonly mediaType: string;
  /** Without its dot. */
  readonly ext: string;
  /** Of the file as it was made; absent until it is first asked for. */
  readonly made?: MadeFile;
  readonly expiresAtMs: number;
}

export interface MadeFile {
  readonly byteLength: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

const Row = z.pipe(
  z.object({
    job_id: z.string(),
    idx: z.number(),
    media_type: z.string(),
    ext: z.string(),
    byte_length: z.nullable(z.number()),
    sha256: z.nullable(z.string()),
    expires_at_ms: z.number(),
  }),
  z.transform((row): Result => ({
    jobId: row.job_id,
    index: row.idx,
    mediaType: row.media_type,
    ext: row.ext,
    ...(row.byte_length === null || row.sha256 === null
      ? {}
      : { made: { byteLength: row.byte_length, sha256: row.sha256 } }),
    expiresAtMs: row.expires_at_ms,
  })),
);

/** Adds a result that is still to be made, inside a transaction of the caller's. */
export function addResult(sql: Sql, result: Omit<Result, 'made'>): void {
  sql.run(
    'INSERT INTO media_results VALUES (?, ?, ?, ?, NULL, NULL, ?)',
    result.jobId,
    result.index,
    result.mediaType,
    result.ext,
    result.expiresAtMs,
  );
}

/** A job's results, in order. */
export function resultsOf(sql: Sql, jobId: string): Result[] {
  return sql.all(Row, 'SELECT * FROM media_results WHERE job_id = ? ORDER BY idx', jobId);
}

/** One result of a job. */
export function findResult(sql: Sql, jobId: string, index: number): Result | undefined {
  return sql.get(Row, 'SELECT * FROM media_results WHERE job_id = ? AND idx = ?', jobId, index);
}

/** Writes down what was made; undefined when the file is gone again. */
export function setMade(
  sql: Sql,
  { jobId, index }: Pick<Result, 'jobId' | 'index'>,
  made: MadeFile | undefined,
): void {
  sql.run(
    'UPDATE media_results SET byte_length = ?, sha256 = ? WHERE job_id = ? AND idx = ?',
    made?.byteLength ?? null,
    made?.sha256 ?? null,
    jobId,
    index,
  );
}

/** Results whose files are kept past their time. */
export function expiredResults(sql: Sql, nowMs: number, limit: number): Result[] {
  return sql.all(
    Row,
    'SELECT * FROM media_results WHERE sha256 IS NOT NULL AND expires_at_ms <= ? LIMIT ?',
    nowMs,
    limit,
  );
}
