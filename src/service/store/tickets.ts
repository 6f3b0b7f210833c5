/** Support tickets (section 2.15). What a ticket is at any moment follows from its row and the clock. */
import * as z from 'zod/mini';
import { ticketSources, ticketStatuses } from '../../contract/enums.js';
import type { Sql } from './sql.js';

export interface NewTicket {
  readonly id: string;
  readonly accountId: string;
  readonly source: (typeof ticketSources)[number];
  readonly subject: string;
  readonly category: string;
  readonly requestIds: readonly string[];
  readonly clientIncidentId?: string;
  /** Of category, subject, text and request ids. */
  readonly contentHash: string;
  readonly createdAtMs: number;
  /** When staff answers, whether or not anyone looks. */
  readonly replyDueAtMs: number;
}

export interface Ticket extends Omit<NewTicket, 'replyDueAtMs'> {
  /** The place among all tickets, in the order of their making. */
  readonly seq: number;
  readonly status: (typeof ticketStatuses)[number];
  readonly occurrences: number;
  readonly updatedAtMs: number;
  readonly repliedAtMs?: number;
  /** Present while it is open. */
  readonly replyDueAtMs?: number;
}

const RequestIds = z.array(z.string());

const Row = z.pipe(
  z.object({
    seq: z.number(),
    id: z.string(),
    account_id: z.string(),
    source: z.enum(ticketSources),
    subject: z.string(),
    category: z.string(),
    request_ids: z.string(),
    client_incident_id: z.nullable(z.string()),
    content_hash: z.string(),
    occurrences: z.number(),
    status: z.enum(ticketStatuses),
    created_at_ms: z.number(),
    updated_at_ms: z.number(),
    replied_at_ms: z.nullable(z.number()),
    reply_due_at_ms: z.nullable(z.number()),
  }),
  z.transform((row): Ticket => ({
    seq: row.seq,
    id: row.id,
    accountId: row.account_id,
    source: row.source,
    subject: textIn(row.subject),
    category: row.category,
    requestIds: RequestIds.parse(JSON.parse(row.request_ids)),
    clientIncidentId: row.client_incident_id ?? undefined,
    contentHash: row.content_hash,
    occurrences: row.occurrences,
    status: row.status,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    repliedAtMs: row.replied_at_ms ?? undefined,
    replyDueAtMs: row.reply_due_at_ms ?? undefined,
  })),
);

/** A text as the store keeps it: the database ends one at a NUL, and has no halves of pairs. */
export function keptText(text: string): string {
  return JSON.stringify(text);
}

/** The text that `keptText` kept. */
export function textIn(kept: string): string {
  return z.string().parse(JSON.parse(kept));
}

/** Adds an open ticket, inside a transaction of the caller's. */
export function addTicket(sql: Sql, ticket: NewTicket): void {
  sql.run(
    `INSERT INTO tickets (id, account_id, source, subject, category, request_ids,
       client_incident_id, content_hash, occurrences, status, created_at_ms, updated_at_ms,
       reply_due_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, 'open', ?, ?, ?)`,
    ticket.id,
    ticket.accountId,
    ticket.source,
    keptText(ticket.subject),
    ticket.category,
    JSON.stringify(ticket.requestIds),
    ticket.clientIncidentId ?? null,
    ticket.contentHash,
    ticket.createdAtMs,
    ticket.createdAtMs,
    ticket.replyDueAtMs,
  );
}

/** A ticket by its id, for its owner alone. */
export function findTicket(sql: Sql, accountId: string, id: string): Ticket | undefined {
  return sql.get(Row, 'SELECT * FROM tickets WHERE id = ? AND account_id = ?', id, accountId);
}

/** The newest open ticket that says exactly this. */
export function openTicketSaying(
  sql: Sql,
  accountId: string,
  contentHash: string,
): Ticket | undefined {
  return sql.get(
    Row,
    `SELECT * FROM tickets WHERE account_id = ? AND content_hash = ? AND status = 'open'
     ORDER BY seq DESC LIMIT 1`,
    accountId,
    contentHash,
  );
}

/** The last ticket that an incident id led to, whatever became of it. */
export function ticketOfIncident(
  sql: Sql,
  accountId: string,
  clientIncidentId: string,
): Ticket | undefined {
  return sql.get(
    Row,
    `SELECT tickets.* FROM ticket_incidents JOIN tickets ON tickets.id = ticket_id
     WHERE ticket_incidents.account_id = ? AND ticket_incidents.client_incident_id = ?`,
    accountId,
    clientIncidentId,
  );
}

/** Lets an incident id lead to a ticket from now on. */
export function setIncident(
  sql: Sql,
  accountId: string,
  clientIncidentId: string,
  ticketId: string,
): void {
  sql.run(
    'INSERT OR REPLACE INTO ticket_incidents VALUES (?, ?, ?)',
    accountId,
    clientIncidentId,
    ticketId,
  );
}

/** Writes down that the same was reported again. */
export function countOccurrence(sql: Sql, id: string, nowMs: number): void {
  sql.run(
    'UPDATE tickets SET occurrences = occurrences + 1, updated_at_ms = ? WHERE id = ?',
    nowMs,
    id,
  );
}

export interface TicketFilter {
  readonly accountId: string;
  readonly status?: Ticket['status'];
  /** Only those made before the ticket of this place. */
  readonly beforeSeq: number;
}

/** The newest tickets that fit, as many as `limit`. */
export function listTickets(sql: Sql, filter: TicketFilter, limit: number): Ticket[] {
  const { accountId, status, beforeSeq } = filter;
  return sql.all(
    Row,
    `SELECT * FROM tickets WHERE account_id = ? AND seq < ? AND (? IS NULL OR status = ?)
     ORDER BY seq DESC LIMIT ?`,
    accountId,
    beforeSeq,
    status ?? null,
    status ?? null,
    limit,
  );
}

/** Whether an answer of staff is due that nobody has written down. */
export function hasDueReply(sql: Sql, accountId: string, nowMs: number): boolean {
  return dueReplies(sql, accountId, nowMs, 1).length > 0;
}

/** The open tickets of an account whose answer is due. */
export function dueReplies(sql: Sql, accountId: string, nowMs: number, limit = -1): Ticket[] {
  return sql.all(
    Row,
    `SELECT * FROM tickets WHERE account_id = ? AND status = 'open' AND reply_due_at_ms <= ?
     ORDER BY reply_due_at_ms, seq LIMIT ?`,
    accountId,
    nowMs,
    limit,
  );
}

/** open → replied */
export function markReplied(sql: Sql, id: string, atMs: number): void {
  sql.run(
    `UPDATE tickets SET status = 'replied', replied_at_ms = ?, updated_at_ms = ?,
       reply_due_at_ms = NULL WHERE id = ?`,
    atMs,
    atMs,
    id,
  );
}

/** replied → open, and open → open: an answer that was due already stays due. */
export function markOpen(sql: Sql, id: string, nowMs: number, replyDueAtMs: number): void {
  sql.run(
    `UPDATE tickets SET status = 'open', updated_at_ms = ?,
       reply_due_at_ms = coalesce(reply_due_at_ms, ?) WHERE id = ?`,
    nowMs,
    replyDueAtMs,
    id,
  );
}

/** open, replied → closed; staff answers no more. */
export function markClosed(sql: Sql, id: string, nowMs: number): void {
  sql.run(
    `UPDATE tickets SET status = 'closed', updated_at_ms = ?, reply_due_at_ms = NULL
     WHERE id = ? AND status <> 'closed'`,
    nowMs,
    id,
  );
}
