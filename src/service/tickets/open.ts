/** What becomes of tickets (section 3.3): opened once for each report, answered, and shown. */
import { tickets as limits } from '../../contract/limits.js';
import type { App } from '../call.js';
import { digestOf } from '../idempotency.js';
import { badRequest, tooMany } from '../failure.js';
import { isRequestOf } from '../ids.js';
import { admit } from '../store/accounts.js';
import type { NewRow, RowOf } from '../store/table.js';
import {
  mediaJobs,
  ticketAttachments,
  ticketIncidents,
  ticketMessages,
  tickets,
  type Attachment,
  type Ticket,
} from '../store/tables.js';
import { findUsage } from '../store/usage.js';

export type NewAttachment = Omit<Attachment, 'seq' | 'ticketId' | 'messageId'>;

export interface Report extends Pick<
  Ticket,
  'source' | 'subject' | 'category' | 'requestIds' | 'clientIncidentId'
> {
  readonly message: string;
  readonly attachments: readonly NewAttachment[];
}

/** Opens a ticket, or finds the one that the same report opened, in one transaction. */
export function openTicket(
  app: App,
  accountId: string,
  { message, attachments, ...report }: Report,
): { ticket: Ticket; deduplicated: boolean } {
  const { store, clock, newId } = app;
  const { clientIncidentId, category, subject, requestIds } = report;
  // The order of the request ids does not count.
  const contentHash = digestOf({ category, subject, message, requestIds: requestIds.toSorted() });
  return store.transaction(() => {
    answerDue(app, accountId);
    assertOwned(app, accountId, requestIds);
    const nowMs = clock.now();
    const known = matching(app, accountId, contentHash, clientIncidentId);
    const id = known?.id ?? `ticket_${newId()}`;
    if (known) {
      const occurrences = known.occurrences + 1;
      tickets.update(store, { id }, { occurrences, updatedAtMs: nowMs });
    } else {
      assertPace(app, accountId, 'tickets', limits.newPerHour);
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      const replyDueAtMs = nowMs + app.ticketReplyMs;
      const state = { status: 'open', occurrences: 1, replyDueAtMs, ...times } as const;
      tickets.insert(store, { ...report, ...state, id, accountId, contentHash });
      const body = { ticketId: id, author: 'client', body: message } as const;
      addMessage(app, { ...body, createdAtMs: nowMs }, attachments);
    }
    if (clientIncidentId !== undefined) {
      const incident = { accountId, clientIncidentId, ticketId: id };
      ticketIncidents.insert(store, incident, 'OR REPLACE');
    }
    const ticket = tickets.find(store, { id });
    if (!ticket) throw new Error('the ticket that was just written is not there');
    return { ticket, deduplicated: known !== undefined };
  });
}

/** The ticket that a report repeats: by its incident id one not closed, by its words an open one. */
function matching(
  { store }: App,
  accountId: string,
  contentHash: string,
  clientIncidentId: string | undefined,
): Ticket | undefined {
  if (clientIncidentId !== undefined) {
    const incident = ticketIncidents.find(store, { accountId, clientIncidentId });
    const ticket = incident && tickets.find(store, { id: incident.ticketId });
    if (ticket && ticket.status !== 'closed') return ticket;
  }
  const newestOpen = "AND status = 'open' ORDER BY seq DESC LIMIT 1";
  return tickets.find(store, { accountId, contentHash }, newestOpen);
}

/** A request id is what x-request-id said, a usage record or a media job. */
function assertOwned(app: App, accountId: string, requestIds: readonly string[]): void {
  const { store } = app;
  for (const [index, id] of requestIds.entries()) {
    const isOwned =
      isRequestOf(app, accountId, id) ||
      findUsage(store, accountId, id) !== undefined ||
      mediaJobs.find(store, { id, accountId }) !== undefined;
    if (isOwned) continue;
    const field = `requestIds[${index}]`;
    throw badRequest(`${field} names no request of this account`, field, 'foreign_request_id');
  }
}

const nouns = { tickets: 'new tickets', 'ticket-messages': 'messages in tickets' } as const;

export function assertPace(
  { store, clock }: App,
  accountId: string,
  action: keyof typeof nouns,
  most: number,
): void {
  const waitMs = admit(store, clock, accountId, { action, most, windowMs: 60 * 60 * 1000 });
  if (waitMs === undefined) return;
  const what = `an account may send ${most} ${nouns[action]} an hour`;
  throw tooMany(what, Math.ceil(waitMs / 1000));
}

export function addMessage(
  { store, newId }: App,
  message: Omit<NewRow<RowOf<typeof ticketMessages>>, 'id'>,
  attachments: readonly NewAttachment[],
): void {
  const id = `tmsg_${newId()}`;
  const { ticketId } = message;
  ticketMessages.insert(store, { ...message, id });
  for (const attachment of attachments) {
    ticketAttachments.insert(store, { ...attachment, ticketId, messageId: id });
  }
}

/** It says what it is. Whatever a ticket asks for, nothing is done: its text is not even read. */
const answer =
  'This answer comes by itself: nobody reads the tickets of the embedded service, and nothing ' +
  'follows from them. A message in this ticket opens it again and is answered like this one.';

/** Answers as staff does: whoever looks first after an answer's time writes it down, dated to it. */
export function answerDue(app: App, accountId: string): void {
  const { store, clock } = app;
  const isDue = "AND status = 'open' AND reply_due_at_ms <= ? ORDER BY reply_due_at_ms, seq";
  const due = () => tickets.all(store, { accountId }, isDue, clock.now());
  if (due().length === 0) return;
  store.transaction(() => {
    for (const { id, replyDueAtMs: atMs } of due()) {
      if (atMs === undefined) continue;
      const message = { ticketId: id, author: 'staff', body: answer, createdAtMs: atMs } as const;
      addMessage(app, message, []);
      const times = { updatedAtMs: atMs, repliedAtMs: atMs, replyDueAtMs: undefined };
      tickets.update(store, { id }, { status: 'replied', ...times });
    }
  });
}

/** A ticket as its owner sees it (section 2.15). */
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

/** The ticket with everything said in it, oldest first. */
export function threadJson({ store }: App, ticket: Ticket) {
  const [ticketId, order] = [ticket.id, 'ORDER BY seq'];
  const attached = ticketAttachments.all(store, { ticketId }, order);
  const messages = ticketMessages.all(store, { ticketId }, order);
  return {
    ...ticketJson(ticket),
    messages: messages.map(({ id, author, body, createdAtMs }) => ({
      id,
      author,
      body,
      createdAt: date(createdAtMs),
      attachments: attached
        .filter(({ messageId }) => messageId === id)
        .map((one) => ({
          id: one.id,
          filename: one.filename,
          mimeType: one.mediaType,
          byteSize: one.byteLength,
        })),
    })),
  };
}

function date(ms: number): string {
  return new Date(ms).toISOString();
}
