/**
 * Pages of the ledger. Records are only ever added, so what is known of them up to one stays true:
 * a walk over all pages counts its records once, and goes on where the page before ended.
 */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';
import { UsageRow, type Usage } from './usage.js';

export interface UsageFilter {
  readonly accountId: string;
  /** Both ends belong to the range. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UsagePage {
  readonly records: readonly Usage[];
  /** How many records the filter finds in all. */
  readonly total: number;
}

/** One page of an account's records, newest first; pages count from 1. */
export function listUsage(sql: Sql, filter: UsageFilter, page: number, limit: number): UsagePage {
  const walk = continuedWalk(sql, filter);
  const records =
    walk.end?.page === page - 1 && walk.end.limit === limit
      ? recordsAfter(sql, filter, walk.end, limit)
      : recordsAt(sql, filter, walk.lastSeq, (page - 1) * limit, limit);
  const last = records.at(-1);
  walk.end = last && { page, limit, createdAtMs: last.createdAtMs, seq: last.seq };
  return { records: records.map(({ usage }) => usage), total: walk.total };
}

/** What is known of the records that a filter finds. */
interface Walk {
  /** The last record, of any account, that was looked at. */
  lastSeq: number;
  total: number;
  end?: End;
}

/** Where a page ended. */
interface End {
  readonly page: number;
  readonly limit: number;
  readonly createdAtMs: number;
  readonly seq: number;
}

const walks = new WeakMap<Sql, Map<string, Walk>>();
/** How many walks are remembered; the one that began first is forgotten first. */
const mostWalks = 32;

function walkOf(sql: Sql, { accountId, fromMs, toMs }: UsageFilter): Walk {
  const known = walks.get(sql) ?? new Map<string, Walk>();
  walks.set(sql, known);
  const name = JSON.stringify([accountId, fromMs, toMs]);
  let walk = known.get(name);
  if (!walk) {
    walk = { lastSeq: 0, total: 0 };
    known.set(name, walk);
    const [first] = known.keys();
    if (first !== undefined && known.size > mostWalks) known.delete(first);
  }
  return walk;
}

const Last = z.object({ last: z.number() });
const Count = z.object({ count: z.number() });

/** The walk of a filter, with the records counted that came since it was last asked for. */
function continuedWalk(sql: Sql, filter: UsageFilter): Walk {
  const walk = walkOf(sql, filter);
  const { last = 0 } = sql.get(Last, 'SELECT coalesce(max(seq), 0) AS last FROM usage') ?? {};
  if (last === walk.lastSeq) return walk;
  const added =
    walk.lastSeq === 0 ? countAll(sql, filter, last) : countNew(sql, filter, walk, last);
  // With records between the others, pages have moved.
  if (added > 0) walk.end = undefined;
  walk.total += added;
  walk.lastSeq = last;
  return walk;
}

function countAll(sql: Sql, { accountId, fromMs, toMs }: UsageFilter, lastSeq: number): number {
  const row = sql.get(
    Count,
    `SELECT count(*) AS count FROM usage
     WHERE account_id = ? AND created_at_ms BETWEEN ? AND ? AND seq <= ?`,
    accountId,
    fromMs,
    toMs,
    lastSeq,
  );
  return row?.count ?? 0;
}

function countNew(sql: Sql, filter: UsageFilter, { lastSeq }: Walk, last: number): number {
  const row = sql.get(
    Count,
    // The signs keep the index of accounts out: the new records are few and lie together.
    `SELECT count(*) AS count FROM usage
     WHERE seq > ? AND seq <= ? AND +account_id = ? AND +created_at_ms BETWEEN ? AND ?`,
    lastSeq,
    last,
    filter.accountId,
    filter.fromMs,
    filter.toMs,
  );
  return row?.count ?? 0;
}

const PlacedRow = z.pipe(
  z.looseObject({ seq: z.number(), created_at_ms: z.number() }),
  z.transform((row) => ({
    seq: row.seq,
    createdAtMs: row.created_at_ms,
    usage: UsageRow.parse(row),
  })),
);

type Placed = z.output<typeof PlacedRow>;

function recordsAt(
  sql: Sql,
  { accountId, fromMs, toMs }: UsageFilter,
  lastSeq: number,
  offset: number,
  limit: number,
): Placed[] {
  return sql.all(
    PlacedRow,
    `SELECT * FROM usage
     WHERE account_id = ? AND created_at_ms BETWEEN ? AND ? AND seq <= ?
     ORDER BY created_at_ms DESC, seq DESC LIMIT ? OFFSET ?`,
    accountId,
    fromMs,
    toMs,
    lastSeq,
    limit,
    offset,
  );
}

function recordsAfter(
  sql: Sql,
  { accountId, fromMs }: UsageFilter,
  { createdAtMs, seq }: End,
  limit: number,
): Placed[] {
  return sql.all(
    PlacedRow,
    `SELECT * FROM usage
     WHERE account_id = ? AND created_at_ms >= ? AND (created_at_ms, seq) < (?, ?)
     ORDER BY created_at_ms DESC, seq DESC LIMIT ?`,
    accountId,
    fromMs,
    createdAtMs,
    seq,
    limit,
  );
}
