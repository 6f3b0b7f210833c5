/** Where an account wants its notifications (section 4.10). */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

export interface Webhooks {
  readonly mediaUrl: string | null;
  /** Kept, and never used: when the service would write to it is not known. */
  readonly balanceUrl: string | null;
}

const Row = z.pipe(
  z.object({ media_url: z.nullable(z.string()), balance_url: z.nullable(z.string()) }),
  z.transform((row): Webhooks => ({ mediaUrl: row.media_url, balanceUrl: row.balance_url })),
);

/** An account's addresses; null where it has none. */
export function webhooksOf(sql: Sql, accountId: string): Webhooks {
  const row = sql.get(
    Row,
    'SELECT media_url, balance_url FROM webhooks WHERE account_id = ?',
    accountId,
  );
  return row ?? { mediaUrl: null, balanceUrl: null };
}

/** Changes the addresses that are given, and leaves the others. @returns all, as they are now */
export function setWebhooks(sql: Sql, accountId: string, change: Partial<Webhooks>): Webhooks {
  return sql.transaction(() => {
    const webhooks = { ...webhooksOf(sql, accountId), ...change };
    sql.run(
      'INSERT OR REPLACE INTO webhooks VALUES (?, ?, ?)',
      accountId,
      webhooks.mediaUrl,
      webhooks.balanceUrl,
    );
    return webhooks;
  });
}
