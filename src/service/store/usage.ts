/** The ledger: usage and its charges, always together. */
import { nextTick } from 'node:process';
import * as z from 'zod/mini';
import type { Caller } from './accounts.js';
import { isBusy } from '../../lib/error-code.js';
import type { Sql } from '../../lib/sql.js';
import { balanceRule, usage as table, type Usage as UsageRow } from './tables.js';

export type Usage = Omit<UsageRow, 'seq' | 'accountId' | 'keyHash'>;

export type Payer = Pick<Caller, 'accountId' | 'keyHash'>;

function usageRow({ payer, usage }: Pick<WaitingDebit, 'payer' | 'usage'>) {
  return { ...usage, accountId: payer.accountId, keyHash: payer.keyHash };
}

/** Charges by writing the record; false, without either, when the balance is too low. */
export function debit(sql: Sql, payer: Payer, usage: Usage): boolean {
  try {
    table.insert(sql, usageRow({ payer, usage }));
    return true;
  } catch (error) {
    if (isTooDear(error)) return false;
    throw error;
  }
}

function isTooDear(error: unknown): boolean {
  return error instanceof Error && error.message.includes(balanceRule);
}

/** A debit that waits for the end of this turn of the event loop. */
interface WaitingDebit {
  readonly payer: Payer;
  readonly usage: Usage;
  readonly resolve: (isPaid: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const waitingDebits = new WeakMap<Sql, WaitingDebit[]>();

/** `debit`, in one write with those of other calls that arrived at the same time. */
export function debitTogether(sql: Sql, payer: Payer, usage: Usage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const waiting = waitingDebits.get(sql) ?? [];
    waiting.push({ payer, usage, resolve, reject });
    if (waiting.length > 1) return;
    waitingDebits.set(sql, waiting);
    // By then the calls that were started together have come here, too.
    nextTick(() => {
      waitingDebits.delete(sql);
      writeDebits(sql, waiting);
    });
  });
}

/** All in one statement, or, when one of them is too dear, each in its own in one transaction. */
function insertDebits(sql: Sql, debits: readonly WaitingDebit[]): boolean[] {
  const write = () => debits.map(({ payer, usage }) => debit(sql, payer, usage));
  if (debits.length === 1) return write();
  try {
    table.insertAll(sql, debits.map(usageRow));
    return debits.map(() => true);
  } catch (error) {
    if (!isTooDear(error)) throw error;
    return sql.transaction(write);
  }
}

/** Each call gets its own outcome after the write; a record that cannot be written affects no other. */
function writeDebits(sql: Sql, debits: readonly WaitingDebit[]): void {
  try {
    const paid = insertDebits(sql, debits);
    for (const [nth, { resolve }] of debits.entries()) resolve(paid[nth] === true);
  } catch (error) {
    // Nothing was written. A busy store would let each of them wait as long again.
    if (debits.length === 1 || isBusy(error)) for (const { reject } of debits) reject(error);
    else for (const one of debits) writeDebits(sql, [one]);
  }
}

/** Refunds a record, once, as a record of its own. */
export function giveBack(
  sql: Sql,
  payer: Payer,
  usageId: string,
  refund: Pick<Usage, 'id' | 'createdAtMs'>,
): void {
  const taken = findUsage(sql, payer.accountId, usageId);
  if (!taken || taken.priceMicroRub === 0) return;
  const { model, route, priceMicroRub } = taken;
  const unused = { promptTokens: 0, completionTokens: 0, priceMicroRub: -priceMicroRub };
  debit(sql, payer, { model, route, ...refund, ...unused, refundOf: usageId });
}

export function findUsage(sql: Sql, accountId: string, id: string): Usage | undefined {
  return table.find(sql, { id, accountId });
}

const Sums = z.object({ requests: z.number(), priceMicroRub: z.number() });

export function keyTotals(sql: Sql, keyHash: string, sinceMs: number): z.output<typeof Sums> {
  const sums = sql.get(
    Sums,
    `SELECT count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       coalesce(sum(price_micro_rub), 0) AS priceMicroRub
     FROM usage WHERE key_hash = ? AND created_at_ms >= ?`,
    ...[keyHash, sinceMs],
  );
  return sums ?? { requests: 0, priceMicroRub: 0 };
}

const KeyUsage = z.object({
  key: z.string(),
  model: z.string(),
  route: z.string(),
  requests: z.number(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  priceMicroRub: z.number(),
});

export function usageByKey(sql: Sql, accountId: string): z.output<typeof KeyUsage>[] {
  return sql.all(
    KeyUsage,
    `SELECT keys.name AS key, model, route,
       count(*) FILTER (WHERE refund_of IS NULL) AS requests,
       sum(prompt_tokens) AS promptTokens, sum(completion_tokens) AS completionTokens,
       sum(price_micro_rub) AS priceMicroRub
     FROM usage JOIN keys ON keys.hash = usage.key_hash
     WHERE usage.account_id = ?
     GROUP BY keys.hash, model, route
     ORDER BY key, model, route`,
    accountId,
  );
}

interface UsageFilter {
  readonly accountId: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** How far a list was read, so that its next page begins there and its records are counted once. */
interface Bookmark {
  /** The account and the range of the list. */
  readonly list: string;
  /** The newest record that was counted. */
  readonly newestSeq: number;
  readonly total: number;
  /** The last record that was read, and how many the list has up to it. */
  readonly atMs: number;
  readonly seq: number;
  readonly position: number;
}

/** More than clients read lists of one store at the same time. */
const maxBookmarks = 64;
const bookmarks = new WeakMap<Sql, Bookmark[]>();

/** A page of an account's records, newest first; pages start at 1. */
export function listUsage(sql: Sql, filter: UsageFilter, page: number, limit: number) {
  const offset = (page - 1) * limit;
  const start = bookmarkBefore(sql, filter, offset);
  const after = 'AND created_at_ms >= ? AND (created_at_ms, seq) < (?, ?) AND +seq <= ?';
  const order = 'ORDER BY created_at_ms DESC, seq DESC LIMIT ? OFFSET ?';
  const { accountId, fromMs } = filter;
  const place = [fromMs, start.atMs, start.seq, start.newestSeq, limit, offset - start.position];
  const records = table.all(sql, { accountId }, `${after} ${order}`, ...place);
  const last = records.at(-1);
  if (last) {
    const { createdAtMs: atMs, seq } = last;
    const end = { ...start, atMs, seq, position: offset + records.length };
    bookmarks.set(sql, [end, ...(bookmarks.get(sql) ?? [])].slice(0, maxBookmarks));
  }
  return { records, total: start.total };
}

const Added = z.object({ count: z.number(), before: z.number() });

/** The nearest bookmark before a record, or the start; records added since it are counted. */
function bookmarkBefore(sql: Sql, filter: UsageFilter, offset: number): Bookmark {
  const { accountId, fromMs, toMs } = filter;
  const list = [accountId, fromMs, toMs].join(' ');
  const start = { atMs: toMs, seq: Number.MAX_SAFE_INTEGER, position: 0 };
  const known = (bookmarks.get(sql) ?? []).filter((one) => one.list === list);
  const [nearest] = known
    .filter(({ position }) => position <= offset)
    .sort((one, other) => other.position - one.position);
  const mark = nearest ?? known[0] ?? { list, newestSeq: 0, total: 0, ...start };
  const newestSeq = sql.number('SELECT max(seq) FROM usage') ?? 0;
  if (newestSeq === mark.newestSeq && mark === nearest) return mark;
  // The first count reads the account's index; later ones read only the new records.
  const account = mark.newestSeq === 0 ? 'account_id' : '+account_id';
  const added = sql.get(
    Added,
    `SELECT count(*) AS count, count(*) FILTER (WHERE (created_at_ms, seq) > (?, ?)) AS before
     FROM usage
     WHERE seq > ? AND seq <= ? AND ${account} = ? AND created_at_ms BETWEEN ? AND ?`,
    ...[mark.atMs, mark.seq, mark.newestSeq, newestSeq, accountId, fromMs, toMs],
  );
  const total = mark.total + (added?.count ?? 0);
  const counted = { ...mark, newestSeq, total, position: mark.position + (added?.before ?? 0) };
  return counted.position <= offset ? counted : { ...counted, ...start };
}
