/** What is said in a ticket, and what is attached to it. */
import * as z from 'zod/mini';
import { ticketAuthors } from '../../contract/enums.js';
import type { Sql } from './sql.js';
import { keptText, textIn } from './tickets.js';

export interface Attachment {
  readonly id: string;
  /** What its sender called it. */
  readonly filename: string;
  readonly mediaType: string;
  readonly byteLength: number;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

export interface NewMessage {
  readonly id: string;
  readonly ticketId: string;
  readonly author: (typeof ticketAuthors)[number];
  readonly body: string;
  readonly attachments: readonly Attachment[];
  readonly createdAtMs: number;
}

export type Message = Omit<NewMessage, 'ticketId'>;

/** Adds a message and what is attached to it, inside a transaction of the caller's. */
export function addMessage(sql: Sql, message: NewMessage): void {
  sql.run(
    `INSERT INTO ticket_messages (id, ticket_id, author, body, created_at_ms)
     VALUES (?, ?, ?, ?, ?)`,
    message.id,
    message.ticketId,
    message.author,
    keptText(message.body),
    message.createdAtMs,
  );
  for (const attachment of message.attachments) {
    sql.run(
      `INSERT INTO ticket_attachments (id, ticket_id, message_id, filename, media_type,
         byte_length, sha256) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      attachment.id,
      message.ticketId,
      message.id,
      keptText(attachment.filename),
      attachment.mediaType,
      attachment.byteLength,
      attachment.sha256,
    );
  }
}

const MessageRow = z.object({
  id: z.string(),
  author: z.enum(ticketAuthors),
  body: z.string(),
  created_at_ms: z.number(),
});

const AttachmentRow = z.pipe(
  z.object({
    id: z.string(),
    message_id: z.string(),
    filename: z.string(),
    media_type: z.string(),
    byte_length: z.number(),
    sha256: z.string(),
  }),
  z.transform((row) => ({
    messageId: row.message_id,
    attachment: {
      id: row.id,
      filename: textIn(row.filename),
      mediaType: row.media_type,
      byteLength: row.byte_length,
      sha256: row.sha256,
    },
  })),
);

/** Everything said in a ticket, oldest first. */
export function messagesOf(sql: Sql, ticketId: string): Message[] {
  const attached = sql.all(
    AttachmentRow,
    'SELECT * FROM ticket_attachments WHERE ticket_id = ? ORDER BY seq',
    ticketId,
  );
  return sql
    .all(MessageRow, 'SELECT * FROM ticket_messages WHERE ticket_id = ? ORDER BY seq', ticketId)
    .map((row) => ({
      id: row.id,
      author: row.author,
      body: textIn(row.body),
      createdAtMs: row.created_at_ms,
      attachments: attached
        .filter(({ messageId }) => messageId === row.id)
        .map(({ attachment }) => attachment),
    }));
}

/** An attachment of a ticket, by its id. */
export function findAttachment(sql: Sql, ticketId: string, id: string): Attachment | undefined {
  return sql.get(
    AttachmentRow,
    'SELECT * FROM ticket_attachments WHERE id = ? AND ticket_id = ?',
    id,
    ticketId,
  )?.attachment;
}

const Count = z.object({ count: z.number() });

/** How many attachments a ticket has. */
export function attachmentCount(sql: Sql, ticketId: string): number {
  const counting = 'SELECT count(*) AS count FROM ticket_attachments WHERE ticket_id = ?';
  return sql.get(Count, counting, ticketId)?.count ?? 0;
}

const Known = z.object({ id: z.string() });

/** Whether any ticket has this attachment. */
export function isAttached(sql: Sql, id: string): boolean {
  return sql.get(Known, 'SELECT id FROM ticket_attachments WHERE id = ?', id) !== undefined;
}
