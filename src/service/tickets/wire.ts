/** Tickets as their owner sees them (section 2.15). */
import type { Attachment, Message } from '../store/ticket-messages.js';
import type { Ticket } from '../store/tickets.js';

export function ticketJson(ticket: Ticket) {
  return {
    id: ticket.id,
    object: 'ticket',
    subject: ticket.subject,
    category: ticket.category,
    source: ticket.source,
    status: ticket.status,
    requestIds: ticket.requestIds,
    clientIncidentId: ticket.clientIncidentId ?? null,
    occurrences: ticket.occurrences,
    createdAt: date(ticket.createdAtMs),
    updatedAt: date(ticket.updatedAtMs),
    repliedAt: ticket.repliedAtMs === undefined ? null : date(ticket.repliedAtMs),
  };
}

export function threadJson(ticket: Ticket, messages: readonly Message[]) {
  return { ...ticketJson(ticket), messages: messages.map(messageJson) };
}

function messageJson({ id, author, body, createdAtMs, attachments }: Message) {
  return {
    id,
    author,
    body,
    createdAt: date(createdAtMs),
    attachments: attachments.map(attachmentJson),
  };
}

function attachmentJson({ id, filename, mediaType, byteLength }: Attachment) {
  return { id, filename, mimeType: mediaType, byteSize: byteLength };
}

function date(ms: number): string {
  return new Date(ms).toISOString();
}
