/** Media jobs. What a job is at any moment follows from its row and the clock alone. */
import * as z from 'zod/mini';
import type { Sql } from './sql.js';

/** What a job is to make: section 2.11, its sources by the ids of files. */
const MediaOrder = z.object({
  prompt: z.optional(z.string()),
  opts: z.optional(z.record(z.string(), z.unknown())),
});

export interface NewJob {
  readonly id: string;
  readonly accountId: string;
  readonly keyHash: string;
  /** Which endpoint it came by; `sandbox` is a simulated submission that never starts. */
  readonly origin: 'generate' | 'extend' | 'image' | 'sandbox';
  /** The model's public id. */
  readonly model: string;
  /** The alias of the channel that serves it. */
  readonly channel: string;
  /** The model as the request named it. */
  readonly requestedModel: string;
  readonly order: z.output<typeof MediaOrder>;
  readonly priceMicroRub: number;
  /** The record of what was taken for it; absent while nothing was. */
  readonly usageId?: string;
  readonly webhookUrl?: string;
  readonly createdAtMs: number;
  /** When it ends, whether or not anyone looks. */
  readonly dueAtMs: number;
  /** Whether its end takes money or gives some back. */
  readonly movesMoney: boolean;
}

export interface Job extends NewJob {
  readonly state: 'running' | 'success' | 'fail';
  readonly errorCode?: string;
  readonly failMessage?: string;
  readonly resultText?: string;
  readonly resultMeta?: Readonly<Record<string, unknown>>;
}

/** How a job ended. */
export type JobEnd =
  | {
      readonly state: 'success';
      readonly resultText?: string;
      readonly resultMeta?: Readonly<Record<string, unknown>>;
    }
  | { readonly state: 'fail'; readonly errorCode: string; readonly failMessage: string };

const ResultMeta = z.record(z.string(), z.unknown());

const Row = z.pipe(
  z.object({
    id: z.string(),
    account_id: z.string(),
    key_hash: z.string(),
    origin: z.enum(['generate', 'extend', 'image', 'sandbox']),
    model: z.string(),
    channel: z.string(),
    requested_model: z.string(),
    media_order: z.string(),
    price_micro_rub: z.number(),
    usage_id: z.nullable(z.string()),
    webhook_url: z.nullable(z.string()),
    created_at_ms: z.number(),
    due_at_ms: z.number(),
    moves_money: z.number(),
    state: z.enum(['running', 'success', 'fail']),
    error_code: z.nullable(z.string()),
    fail_message: z.nullable(z.string()),
    result_text: z.nullable(z.string()),
    result_meta: z.nullable(z.string()),
  }),
  z.transform((row): Job => ({
    id: row.id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    origin: row.origin,
    model: row.model,
    channel: row.channel,
    requestedModel: row.requested_model,
    order: MediaOrder.parse(JSON.parse(row.media_order)),
    priceMicroRub: row.price_micro_rub,
    usageId: row.usage_id ?? undefined,
    webhookUrl: row.webhook_url ?? undefined,
    createdAtMs: row.created_at_ms,
    dueAtMs: row.due_at_ms,
    movesMoney: row.moves_money === 1,
    state: row.state,
    errorCode: row.error_code ?? undefined,
    failMessage: row.fail_message ?? undefined,
    resultText: row.result_text ?? undefined,
    resultMeta:
      row.result_meta === null ? undefined : ResultMeta.parse(JSON.parse(row.result_meta)),
  })),
);

/** Adds a running job, inside a transaction of the caller's. */
export function addJob(sql: Sql, job: NewJob): void {
  sql.run(
    `INSERT INTO media_jobs (id, account_id, key_hash, origin, model, channel, requested_model,
       media_order, price_micro_rub, usage_id, webhook_url, created_at_ms, due_at_ms,
       moves_money, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running')`,
    job.id,
    job.accountId,
    job.keyHash,
    job.origin,
    job.model,
    job.channel,
    job.requestedModel,
    JSON.stringify(job.order),
    job.priceMicroRub,
    job.usageId ?? null,
    job.webhookUrl ?? null,
    job.createdAtMs,
    job.dueAtMs,
    job.movesMoney ? 1 : 0,
  );
}

/** A job by its id, for its owner alone. */
export function findJob(sql: Sql, accountId: string, id: string): Job | undefined {
  return sql.get(Row, 'SELECT * FROM media_jobs WHERE id = ? AND account_id = ?', id, accountId);
}

/** A job by its id, whoever owns it: for links that prove themselves, and for the service's own use. */
export function jobById(sql: Sql, id: string): Job | undefined {
  return sql.get(Row, 'SELECT * FROM media_jobs WHERE id = ?', id);
}

/** The jobs of synchronous images that a key began, newest first. */
export function imageJobs(sql: Sql, keyHash: string, limit: number): Job[] {
  return sql.all(
    Row,
    `SELECT * FROM media_jobs WHERE key_hash = ? AND origin = 'image' ORDER BY seq DESC LIMIT ?`,
    keyHash,
    limit,
  );
}

/** An account's jobs that have ended by now, and whose end moves money that has not moved yet. */
export function settlingJobs(sql: Sql, accountId: string, nowMs: number): Job[] {
  return sql.all(
    Row,
    `SELECT * FROM media_jobs
     WHERE account_id = ? AND state = 'running' AND moves_money = 1 AND due_at_ms <= ?
     ORDER BY due_at_ms, seq`,
    accountId,
    nowMs,
  );
}

/** Everyone's jobs that have ended by now, though nobody has looked at them yet. */
export function dueJobs(sql: Sql, nowMs: number, limit: number): Job[] {
  return sql.all(
    Row,
    `SELECT * FROM media_jobs WHERE state = 'running' AND origin <> 'sandbox' AND due_at_ms <= ?
     ORDER BY due_at_ms, seq LIMIT ?`,
    nowMs,
    limit,
  );
}

const NextDue = z.object({ due_at_ms: z.nullable(z.number()) });

/** When the next running job ends. */
export function nextDueMs(sql: Sql): number | undefined {
  const row = sql.get(
    NextDue,
    `SELECT min(due_at_ms) AS due_at_ms FROM media_jobs
     WHERE state = 'running' AND origin <> 'sandbox'`,
  );
  return row?.due_at_ms ?? undefined;
}

/** Writes down how a job ended, inside a transaction of the caller's. */
export function endJob(sql: Sql, id: string, end: JobEnd, usageId: string | undefined): void {
  const { resultText, resultMeta } = end.state === 'success' ? end : {};
  const { errorCode, failMessage } = end.state === 'fail' ? end : {};
  sql.run(
    `UPDATE media_jobs SET state = ?, error_code = ?, fail_message = ?, result_text = ?,
       result_meta = ?, usage_id = ?
     WHERE id = ?`,
    end.state,
    errorCode ?? null,
    failMessage ?? null,
    resultText ?? null,
    resultMeta === undefined ? null : JSON.stringify(resultMeta),
    usageId ?? null,
    id,
  );
}
