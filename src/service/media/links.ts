/** Signed links to the files of a job (section 5): whoever has one needs no key. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { secretOf } from '../store/secrets.js';
import type { Sql } from '../store/sql.js';

/** @param origin of the request that is answered: `http://127.0.0.1:8787` */
export function linkTo(sql: Sql, origin: string, jobId: string, index: number): string {
  return `${origin}/api/media/file/${jobId}/${index}?sig=${signature(sql, jobId, index)}`;
}

/** Whether a link was given by this store for this very file. */
export function isSigned(sql: Sql, jobId: string, index: number, sig: string): boolean {
  const expected = Buffer.from(signature(sql, jobId, index));
  const given = Buffer.from(sig);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function signature(sql: Sql, jobId: string, index: number): string {
  return createHmac('sha256', secretOf(sql, 'media_links'))
    .update(`${jobId}/${index}`)
    .digest('base64url');
}
