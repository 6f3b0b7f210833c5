/** The keys and accounts of a new store; they open nothing else, so they are not secrets. */
import { createHash } from 'node:crypto';
import type { Brand } from '../contract/brand.js';

interface SeededKey {
  /** The key without the brand's prefix: `local` is `sk-svc-local`. */
  readonly name: string;
  readonly account: keyof typeof seededAccounts;
  readonly use: string;
  /** Allowed addresses; an empty list allows all (section 5). */
  readonly allowList?: readonly string[];
  /** Every call answers 429 with this Retry-After, in seconds. */
  readonly retryAfterS?: number;
  readonly sandbox?: boolean;
}

/** The accounts, and whether each starts with the opening balance or nothing. */
export const seededAccounts = { local: true, empty: false, sandbox: true } as const;

export const seededKeys: readonly SeededKey[] = [
  { name: 'local', account: 'local', use: 'the key that --local uses' },
  { name: 'local-empty', account: 'empty', use: 'balance 0: paid calls answer 402' },
  {
    name: 'local-blocked',
    account: 'local',
    use: 'an allow-list without any caller: every call answers 403',
    // Reserved for documentation (RFC 5737): no caller has it.
    allowList: ['203.0.113.1'],
  },
  {
    name: 'local-limited',
    account: 'local',
    use: 'every call answers 429 with Retry-After',
    retryAfterS: 1,
  },
  { name: 'local-sandbox', account: 'sandbox', use: 'a sandbox key', sandbox: true },
];

export function localKey({ keyPrefix }: Brand): string {
  return `${keyPrefix}local`;
}

/** The cookie of the account that --local uses: its value is the account's id. */
export function localSession({ sessionCookie }: Brand): string {
  return `${sessionCookie}=local`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
