/** Signs notifications by the Standard Webhooks scheme, so that any of its libraries can check them. */
import { createHmac } from 'node:crypto';
import { secretOf } from '../store/secrets.js';
import type { Sql } from '../store/sql.js';

/** The secret as receivers are given it: `whsec_…`. */
export function webhookSecret(sql: Sql): string {
  return `whsec_${secretOf(sql, 'webhooks').toString('base64')}`;
}

/** The headers that prove where a notification comes from, and when it was sent. */
export function signedHeaders(
  sql: Sql,
  id: string,
  nowMs: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', secretOf(sql, 'webhooks'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
