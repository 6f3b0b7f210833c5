/** Support tickets (sections 2.15, 3.3 and 4.8). Texts are stored unchanged. */
import { tickets as limits } from '../contract/limits.js';
import { createTicket, listTickets as listRow, replyToTicket } from '../contract/tickets.js';
import { dateOf, json, type App, type Call, type Reply } from './call.js';
import { assertHolds, badRequest, tooMany } from './failure.js';
import { fileReply } from './file-reply.js';
import { digestOf } from './idempotency.js';
import { isOwnRequest } from './ids.js';
import { admit, type Pace } from './store/accounts.js';
import type { NewRow, RowOf } from './store/table.js';
import { mediaJobs, ticketAttachments, ticketIncidents, ticketMessages } from './store/tables.js';
import { tickets } from './store/tables.js';
import type { Ticket } from './store/tables.js';
import { findUsage } from './store/usage.js';
import { readRequest, shelf, type NewAttachment } from './ticket-form.js';

export function create(call: Call): Promise<Reply> {
  // A session has no key.
  const source = call.caller.keyHash === '' ? 'dashboard' : 'api';
  return readRequest(call, createTicket.body, (fields, attachments) =>
    openTicket(call, { source, category: 'general', requestIds: [], ...fields }, attachments),
  );
}

type Report = Pick<
  Ticket,
  'source' | 'subject' | 'category' | 'requestIds' | 'clientIncidentId'
> & { readonly message: string };

/** Opens a ticket, or finds the one of the same report, in one transaction. */
export function openTicket(
  { app, caller }: Call,
  { message, ...report }: Report,
  attachments: readonly NewAttachment[] = [],
): Reply {
  const { store, clock, newId } = app;
  const { accountId } = caller;
  const { clientIncidentId, category, subject, requestIds } = report;
  // The order of the request ids is irrelevant.
  const contentHash = digestOf({ category, subject, message, requestIds: requestIds.toSorted() });
  return store.transaction(() => {
    answerDue(app, accountId);
    assertOwnRequests(app, accountId, requestIds);
    const nowMs = clock.now();
    // A repeated report: unclosed with the same incident id, or open with the same text.
    const isNamed = clientIncidentId !== undefined;
    const incident = isNamed && ticketIncidents.find(store, { accountId, clientIncidentId });
    const reported = incident && tickets.find(store, { id: incident.ticketId });
    const newestOpen = "AND status = 'open' ORDER BY seq DESC LIMIT 1";
    const known =
      reported && reported.status !== 'closed'
        ? reported
        : tickets.find(store, { accountId, contentHash }, newestOpen);
    const id = known?.id ?? `ticket_${newId()}`;
    if (known) {
      tickets.update(store, { id }, { occurrences: known.occurrences + 1, updatedAtMs: nowMs });
    } else {
      assertPace(app, accountId, { action: 'tickets', max: limits.newPerHour }, 'new tickets');
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      const replyDueAtMs = nowMs + app.settings.ticketReplyMs;
      const state = { status: 'open', occurrences: 1, replyDueAtMs, ...times } as const;
      tickets.insert(store, { ...report, ...state, id, accountId, contentHash });
      const body = { ticketId: id, author: 'client', body: message } as const;
      addMessage(app, { ...body, createdAtMs: nowMs }, attachments);
    }
    if (isNamed) {
      const incident = { accountId, clientIncidentId, ticketId: id };
      ticketIncidents.insert(store, incident, 'OR REPLACE');
    }
    const ticket = tickets.find(store, { id });
    if (!ticket) throw new Error('the new ticket is missing');
    const reply = { deduplicated: known !== undefined, ticket: ticketJson(ticket) };
    return json(reply, known ? 200 : 201);
  });
}

/** A request id is an x-request-id of the service, a usage record or a media job. */
function assertOwnRequests(app: App, accountId: string, requestIds: readonly string[]): void {
  const { store } = app;
  for (const [index, id] of requestIds.entries()) {
    const isOwn =
      isOwnRequest(store, accountId, id) ||
      findUsage(store, accountId, id) !== undefined ||
      mediaJobs.find(store, { id, accountId }) !== undefined;
    if (isOwn) continue;
    const field = `requestIds[${index}]`;
    throw badRequest(`${field} is not a request of this account`, field, 'foreign_request_id');
  }
}

function assertPace(
  { store, clock }: App,
  accountId: string,
  pace: Pick<Pace, 'action' | 'max'>,
  noun: string,
): void {
  const waitMs = admit(store, clock, accountId, { ...pace, windowMs: 60 * 60 * 1000 });
  if (waitMs === undefined) return;
  throw tooMany(`an account may send ${pace.max} ${noun} an hour`, Math.ceil(waitMs / 1000));
}

function addMessage(
  { store, newId }: App,
  message: Omit<NewRow<RowOf<typeof ticketMessages>>, 'id'>,
  attachments: readonly NewAttachment[] = [],
): void {
  const id = `tmsg_${newId()}`;
  ticketMessages.insert(store, { ...message, id });
  for (const attachment of attachments) {
    ticketAttachments.insert(store, { ...attachment, ticketId: message.ticketId, messageId: id });
  }
}

/** Ticket texts are never interpreted: no request in them is carried out. */
const answer =
  'This is an automatic answer: nobody reads the tickets of the embedded service. ' +
  'A message reopens this ticket and gets the same answer.';

/** Writes the automatic answers that are due, each with its due time. */
function answerDue(app: App, accountId: string): void {
  const { store, clock } = app;
  const isDue = "AND status = 'open' AND reply_due_at_ms <= ? ORDER BY reply_due_at_ms, seq";
  const due = () => tickets.all(store, { accountId }, isDue, clock.now());
  if (due().length === 0) return;
  store.transaction(() => {
    for (const { id, replyDueAtMs: atMs } of due()) {
      if (atMs === undefined) continue;
      addMessage(app, { ticketId: id, author: 'staff', body: answer, createdAtMs: atMs });
      const times = { updatedAtMs: atMs, repliedAtMs: atMs, replyDueAtMs: undefined };
      tickets.update(store, { id }, { status: 'replied', ...times });
    }
  });
}

/** GET /v1/tickets: newest first. The cursor is the last ticket of a page, so none is missed. */
export function list(call: Call): Reply {
  const { app, caller } = call;
  const { accountId } = caller;
  const { limit = limits.list.default, after, status } = call.query(listRow.query);
  answerDue(app, accountId);
  const last = after === undefined ? undefined : tickets.find(app.store, { id: after, accountId });
  if (after !== undefined && !last) {
    throw badRequest('after must be the nextCursor of a page', 'after', 'invalid_cursor');
  }
  const beforeSeq = last?.seq ?? Number.MAX_SAFE_INTEGER;
  const filter = status === undefined ? { accountId } : { accountId, status };
  const newest = 'AND seq < ? ORDER BY seq DESC LIMIT ?';
  const rows = tickets.all(app.store, filter, newest, beforeSeq, limit + 1);
  const data = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore ? data.at(-1)?.id : null;
  return json({ object: 'list', data: data.map(ticketJson), hasMore, nextCursor });
}

/** GET /v1/tickets/{id} and GET /v1/technical-feedback/{id} */
export function get(call: Call): Reply {
  answerDue(call.app, call.caller.accountId);
  return json({ ticket: threadJson(call.app, requestedTicket(call)) });
}

/** POST /v1/tickets/{id}/messages: reopens an answered ticket. */
export async function reply(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { store, clock, settings } = app;
  // Checked before the body, which may be large, is read.
  assertNotClosed(requestedTicket(call));
  return readRequest(call, replyToTicket.body, ({ message: body }, attachments) =>
    store.transaction(() => {
      answerDue(app, caller.accountId);
      const ticket = requestedTicket(call);
      const { id } = ticket;
      assertNotClosed(ticket);
      const { perTicket } = limits.attachments;
      const there = ticketAttachments.count(store, { ticketId: id });
      const full = `a ticket may have at most ${perTicket} attachments, and this one has ${there}`;
      assertHolds(there + attachments.length <= perTicket, 400, 'too_many_attachments', full);
      const pace = { action: 'ticket-messages', max: limits.repliesPerHour } as const;
      assertPace(app, caller.accountId, pace, 'messages in tickets');
      const createdAtMs = clock.now();
      addMessage(app, { ticketId: id, author: 'client', body, createdAtMs }, attachments);
      // An answer that is already due keeps its time.
      const { replyDueAtMs = createdAtMs + settings.ticketReplyMs } = ticket;
      tickets.update(store, { id }, { status: 'open', updatedAtMs: createdAtMs, replyDueAtMs });
      return json({ ticket: threadJson(app, requestedTicket(call)) }, 201);
    }),
  );
}

/** POST /v1/tickets/{id}/close: a closed ticket stays unchanged. */
export function close(call: Call): Reply {
  const { store, clock } = call.app;
  const ticket = store.transaction(() => {
    answerDue(call.app, call.caller.accountId);
    const { id, status } = requestedTicket(call);
    const closed = { status: 'closed', updatedAtMs: clock.now(), replyDueAtMs: undefined } as const;
    if (status !== 'closed') tickets.update(store, { id }, closed);
    return requestedTicket(call);
  });
  return json({ ticket: ticketJson(ticket) });
}

/** GET /v1/tickets/{id}/attachments/{attachmentId} */
export async function attachment(call: Call): Promise<Reply> {
  const { store, folder } = call.app;
  const id = call.param('attachmentId');
  const file = ticketAttachments.find(store, { id, ticketId: requestedTicket(call).id });
  const handle = file && (await folder.open(shelf, id));
  assertHolds(handle, 404, 'attachment_not_found', 'the ticket has no such attachment');
  // The name in ASCII, and unchanged (RFC 6266).
  const plain = file.filename.replaceAll(/[^\w.() -]/g, '_');
  const encoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  const exact = encodeURIComponent(file.filename).replaceAll(/['()*]/g, encoded);
  return fileReply({ ...file, handle }, call.request.headers, {
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
  });
}

function requestedTicket(call: Call): Ticket {
  const { accountId } = call.caller;
  const ticket = tickets.find(call.app.store, { id: call.param('id'), accountId });
  assertHolds(ticket, 404, 'ticket_not_found', 'there is no such ticket');
  return ticket;
}

function assertNotClosed({ status }: Ticket): void {
  assertHolds(status !== 'closed', 409, 'ticket_closed', 'the ticket is closed: open a new one');
}

function ticketJson(ticket: Ticket) {
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
    createdAt: dateOf(ticket.createdAtMs),
    updatedAt: dateOf(ticket.updatedAtMs),
    repliedAt: dateOf(ticket.repliedAtMs),
  };
}

function threadJson({ store }: App, ticket: Ticket) {
  const [ticketId, order] = [ticket.id, 'ORDER BY seq'];
  const attached = ticketAttachments.all(store, { ticketId }, order);
  const messages = ticketMessages.all(store, { ticketId }, order);
  return {
    ...ticketJson(ticket),
    messages: messages.map(({ id, author, body, createdAtMs }) => {
      const attachments = attached
        .filter(({ messageId }) => messageId === id)
        .map((one) => {
          const { filename, mediaType: mimeType, byteLength: byteSize } = one;
          return { id: one.id, filename, mimeType, byteSize };
        });
      return { id, author, body, createdAt: dateOf(createdAtMs), attachments };
    }),
  };
}
