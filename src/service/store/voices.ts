/** Cloned voices. What a voice is at any moment follows from its row, the balance and the clock. */
import * as z from 'zod/mini';
import { voiceEngines } from '../../contract/enums.js';
import type { Sql } from './sql.js';

/** What is known of the recordings of a voice; the recordings themselves are not kept. */
export interface SampleTotals {
  readonly count: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

export interface NewVoice {
  readonly id: string;
  readonly accountId: string;
  /** The key that made it, which the records of its fees name. */
  readonly keyHash: string;
  readonly name: string;
  readonly engine: (typeof voiceEngines)[number];
  readonly samples: SampleTotals;
  readonly monthlyMicroRub: number;
  readonly createdAtMs: number;
  readonly nextChargeAtMs: number;
}

export interface Voice extends Omit<NewVoice, 'nextChargeAtMs'> {
  readonly lastUsedAtMs?: number;
  /** Absent while it is unpaid. */
  readonly nextChargeAtMs?: number;
  /** When an unpaid voice is deleted; absent while it is paid. */
  readonly deletionAtMs?: number;
}

const Row = z.pipe(
  z.object({
    id: z.string(),
    account_id: z.string(),
    key_hash: z.string(),
    name: z.string(),
    engine: z.enum(voiceEngines),
    sample_count: z.number(),
    sample_ms: z.number(),
    sample_bytes: z.number(),
    monthly_micro_rub: z.number(),
    created_at_ms: z.number(),
    last_used_at_ms: z.nullable(z.number()),
    next_charge_at_ms: z.nullable(z.number()),
    deletion_at_ms: z.nullable(z.number()),
  }),
  z.transform((row): Voice => ({
    id: row.id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    name: row.name,
    engine: row.engine,
    samples: { count: row.sample_count, milliseconds: row.sample_ms, bytes: row.sample_bytes },
    monthlyMicroRub: row.monthly_micro_rub,
    createdAtMs: row.created_at_ms,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
    nextChargeAtMs: row.next_charge_at_ms ?? undefined,
    deletionAtMs: row.deletion_at_ms ?? undefined,
  })),
);

/** Adds a voice, inside a transaction of the caller's. */
export function addVoice(sql: Sql, voice: NewVoice): void {
  const { samples } = voice;
  sql.run(
    `INSERT INTO voices (id, account_id, key_hash, name, engine, sample_count, sample_ms,
       sample_bytes, monthly_micro_rub, created_at_ms, next_charge_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    voice.id,
    voice.accountId,
    voice.keyHash,
    voice.name,
    voice.engine,
    samples.count,
    samples.milliseconds,
    samples.bytes,
    voice.monthlyMicroRub,
    voice.createdAtMs,
    voice.nextChargeAtMs,
  );
}

/** An account's voices, in the order they were made. */
export function voicesOf(sql: Sql, accountId: string): Voice[] {
  return sql.all(Row, 'SELECT * FROM voices WHERE account_id = ? ORDER BY seq', accountId);
}

const Count = z.object({ count: z.number() });

/** How many voices an account has. */
export function countVoices(sql: Sql, accountId: string): number {
  const row = sql.get(
    Count,
    'SELECT count(*) AS count FROM voices WHERE account_id = ?',
    accountId,
  );
  return row?.count ?? 0;
}

/** A voice by its id, for its owner alone. */
export function findVoice(sql: Sql, accountId: string, id: string): Voice | undefined {
  return sql.get(Row, 'SELECT * FROM voices WHERE id = ? AND account_id = ?', id, accountId);
}

/** The account's voice whose next event is the earliest of those that are due by now. */
export function nextDueVoice(sql: Sql, accountId: string, nowMs: number): Voice | undefined {
  return sql.get(
    Row,
    `SELECT * FROM voices
     WHERE account_id = ? AND coalesce(next_charge_at_ms, deletion_at_ms) <= ?
     ORDER BY coalesce(next_charge_at_ms, deletion_at_ms), seq LIMIT 1`,
    accountId,
    nowMs,
  );
}

/** The account's unpaid voices, the one that is deleted first coming first. */
export function unpaidVoices(sql: Sql, accountId: string): Voice[] {
  return sql.all(
    Row,
    `SELECT * FROM voices WHERE account_id = ? AND deletion_at_ms IS NOT NULL
     ORDER BY deletion_at_ms, seq`,
    accountId,
  );
}

/** Deletes a voice of an account. @returns whether there was one */
export function removeVoice(sql: Sql, accountId: string, id: string): boolean {
  return sql.run('DELETE FROM voices WHERE id = ? AND account_id = ?', id, accountId) === 1;
}

/** Writes down that a voice is paid until a time. */
export function markPaid(sql: Sql, id: string, nextChargeAtMs: number): void {
  sql.run(
    'UPDATE voices SET next_charge_at_ms = ?, deletion_at_ms = NULL WHERE id = ?',
    nextChargeAtMs,
    id,
  );
}

/** Writes down that a voice could not be paid, and when it is deleted. */
export function markUnpaid(sql: Sql, id: string, deletionAtMs: number): void {
  sql.run(
    'UPDATE voices SET next_charge_at_ms = NULL, deletion_at_ms = ? WHERE id = ?',
    deletionAtMs,
    id,
  );
}

/** Writes down that a voice has spoken. */
export function markUsed(sql: Sql, id: string, usedAtMs: number): void {
  sql.run('UPDATE voices SET last_used_at_ms = ? WHERE id = ?', usedAtMs, id);
}

/** Adds recordings to what is known of a voice, inside a transaction of the caller's. */
export function growVoice(sql: Sql, id: string, added: SampleTotals): void {
  sql.run(
    `UPDATE voices SET sample_count = sample_count + ?, sample_ms = sample_ms + ?,
       sample_bytes = sample_bytes + ?
     WHERE id = ?`,
    added.count,
    added.milliseconds,
    added.bytes,
    id,
  );
}
