/** Callers, their balance, and how often they may call. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.js';
import { hashKey } from '../keys.js';
import type { Sql } from '../../lib/sql.js';
import { accounts, admissions, keys, secrets, type Key } from './tables.js';

export interface Caller extends Pick<Key, 'accountId' | 'allowList' | 'retryAfterS' | 'sandbox'> {
  readonly keyHash: string;
  readonly keyName: string;
}

const callers = new WeakMap<Sql, Map<string, Caller>>();

export function findCaller(sql: Sql, key: string): Caller | undefined {
  const known = callers.get(sql) ?? new Map<string, Caller>();
  callers.set(sql, known);
  const row = known.has(key) ? undefined : keys.find(sql, { hash: hashKey(key) });
  if (row) known.set(key, { ...row, keyHash: row.hash, keyName: row.name });
  return known.get(key);
}

export function accountCaller(sql: Sql, accountId: string): Caller | undefined {
  const owner = accounts.find(sql, { id: accountId });
  return owner && { keyHash: '', keyName: '', accountId, allowList: [], sandbox: false };
}

export function balanceMicroRub(sql: Sql, accountId: string): number {
  return sql.number('SELECT balance_micro_rub FROM accounts WHERE id = ?', accountId) ?? 0;
}

const known = new WeakMap<Sql, Map<string, string>>();

/** The 32 bytes of a secret in base64, the same for every process of the store. */
export function secretOf(sql: Sql, name: 'media_links' | 'request_ids' | 'webhooks'): string {
  const read = known.get(sql) ?? new Map<string, string>();
  known.set(sql, read);
  let secret = read.get(name);
  if (!secret) {
    const value = randomBytes(32).toString('base64');
    const row = secrets.find(sql, { name });
    if (!row) secrets.insert(sql, { name, value }, 'OR IGNORE');
    secret = (row ?? secrets.find(sql, { name }))?.value ?? '';
    read.set(name, secret);
  }
  return secret;
}

/** A limit of calls in a time window, across processes and restarts. */
export interface Pace {
  readonly action: 'search' | 'tickets' | 'ticket-messages' | 'voice-samples';
  readonly max: number;
  /** The time window in milliseconds; it moves with the clock. */
  readonly windowMs: number;
}

/** Counts one call if allowed; otherwise returns how long to wait, in ms. */
export function admit(sql: Sql, clock: Clock, accountId: string, pace: Pace): number | undefined {
  return sql.transaction(() => {
    const waitMs = waitFor(sql, clock, accountId, pace);
    if (waitMs === undefined) {
      admissions.insert(sql, { action: pace.action, accountId, atMs: clock.now() });
    }
    return waitMs;
  });
}

/** How long an account must wait; undefined for not at all. Counts nothing. */
export function waitFor(sql: Sql, clock: Clock, accountId: string, pace: Pace): number | undefined {
  const { action, max, windowMs } = pace;
  return sql.transaction(() => {
    // Read under the lock: of two processes, the later writer has the later time.
    const nowMs = clock.now();
    // Later times were written before the clock was set back.
    sql.run(
      'DELETE FROM admissions WHERE action = ? AND account_id = ? AND (at_ms <= ? OR at_ms > ?)',
      ...[action, accountId, nowMs - windowMs, nowMs],
    );
    const order = 'ORDER BY at_ms DESC LIMIT 1 OFFSET ?';
    const oldest = admissions.find(sql, { action, accountId }, order, max - 1);
    return oldest && oldest.atMs + windowMs - nowMs;
  });
}

/** When something is next due on an account: read anew in each turn, as other processes write too. */
interface DueTimes {
  readonly writes: number;
  readonly byAccount: Map<string, number>;
}

const dueTimes = new WeakMap<Sql, DueTimes>();

/** Whether a job's end or a voice's fee is due; an unpaid voice may be paid at any time. */
export function hasDue(sql: Sql, accountId: string, nowMs: number): boolean {
  let times = dueTimes.get(sql);
  if (times?.writes !== sql.writes) {
    times = { writes: sql.writes, byAccount: new Map() };
    dueTimes.set(sql, times);
    setImmediate(() => dueTimes.delete(sql));
  }
  const dueAtMs = times.byAccount.get(accountId) ?? nextDueMs(sql, accountId);
  times.byAccount.set(accountId, dueAtMs);
  return dueAtMs <= nowMs;
}

function nextDueMs(sql: Sql, accountId: string): number {
  const next = sql.number(
    `SELECT min(at_ms) FROM (
       SELECT min(due_at_ms) AS at_ms FROM media_jobs
       WHERE account_id = ? AND state = 'running' AND moves_money = 1
       UNION ALL
       SELECT min(iif(deletion_at_ms IS NULL, next_charge_at_ms, 0)) FROM voices
       WHERE account_id = ?
     )`,
    accountId,
    accountId,
  );
  return next ?? Infinity;
}
