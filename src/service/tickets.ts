/** Support tickets (sections 2.15, 3.3 and 4.8). Their texts are data, kept as they came. */
import { tickets as limits } from '../contract/limits.js';
import { createTicket, listTickets as listRow, replyToTicket } from '../contract/tickets.js';
import { json, type Call, type Reply } from './call.js';
import { badRequest, ServiceFailure } from './failure.js';
import { fileReply } from './file-reply.js';
import { ticketAttachments, tickets, type Ticket } from './store/tables.js';
import { received, shelf } from './tickets/form.js';
import {
  addMessage,
  answerDue,
  assertPace,
  openTicket,
  threadJson,
  ticketJson,
  type NewAttachment,
} from './tickets/open.js';

export async function create(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const { ticket, deduplicated } = await received(
    call,
    createTicket.body,
    (fields, attachments) => {
      const opened = openTicket(app, caller.accountId, {
        // A session has no key.
        source: caller.keyHash === '' ? 'dashboard' : 'api',
        category: 'general',
        requestIds: [],
        ...fields,
        attachments,
      });
      return { ...opened, isKept: !opened.deduplicated };
    },
  );
  return json({ deduplicated, ticket: ticketJson(ticket) }, deduplicated ? 200 : 201);
}

/** GET /v1/tickets: newest first. A cursor is the last ticket of its page, so none is missed. */
export function list(call: Call): Reply {
  const { store } = call.app;
  const { accountId } = call.caller;
  const { limit = limits.list.default, after, status } = call.query(listRow.query);
  answerDue(call.app, accountId);
  const beforeSeq =
    after === undefined
      ? Number.MAX_SAFE_INTEGER
      : tickets.find(store, { id: after, accountId })?.seq;
  if (beforeSeq === undefined) {
    throw badRequest('after must be the nextCursor of a page', 'after', 'invalid_cursor');
  }
  const wanted = status === undefined ? { accountId } : { accountId, status };
  const newest = 'AND seq < ? ORDER BY seq DESC LIMIT ?';
  const found = tickets.all(store, wanted, newest, beforeSeq, limit + 1);
  const data = found.slice(0, limit);
  const hasMore = found.length > limit;
  const nextCursor = hasMore ? data.at(-1)?.id : null;
  return json({ object: 'list', data: data.map(ticketJson), hasMore, nextCursor });
}

export function get(call: Call): Reply {
  answerDue(call.app, call.caller.accountId);
  return threadReply(call, 200);
}

/** POST /v1/tickets/{id}/messages: opens a ticket again that was answered. */
export async function reply(call: Call): Promise<Reply> {
  // Before the body is read, which may be large.
  assertNotClosed(owned(call));
  await received(call, replyToTicket.body, ({ message }, attachments) => {
    call.app.store.transaction(() => addReply(call, message, attachments));
    return { isKept: true };
  });
  return threadReply(call, 201);
}

function addReply(call: Call, body: string, attachments: readonly NewAttachment[]): void {
  const { app, caller } = call;
  const { store, clock, ticketReplyMs } = app;
  answerDue(app, caller.accountId);
  const ticket = owned(call);
  const { id } = ticket;
  assertNotClosed(ticket);
  const { perTicket } = limits.attachments;
  const there = ticketAttachments.count(store, { ticketId: id });
  if (there + attachments.length > perTicket) {
    const message = `a ticket may have ${perTicket} attachments at most, and this one has ${there}`;
    throw badRequest(message, undefined, 'too_many_attachments');
  }
  assertPace(app, caller.accountId, 'ticket-messages', limits.repliesPerHour);
  const createdAtMs = clock.now();
  addMessage(app, { ticketId: id, author: 'client', body, createdAtMs }, attachments);
  // An answer that was due already stays due.
  const { replyDueAtMs = createdAtMs + ticketReplyMs } = ticket;
  tickets.update(store, { id }, { status: 'open', updatedAtMs: createdAtMs, replyDueAtMs });
}

/** POST /v1/tickets/{id}/close: once closed, it stays as it is. */
export function close(call: Call): Reply {
  const { store, clock } = call.app;
  const ticket = store.transaction(() => {
    answerDue(call.app, call.caller.accountId);
    const { id, status } = owned(call);
    const closed = { status: 'closed', updatedAtMs: clock.now(), replyDueAtMs: undefined } as const;
    if (status !== 'closed') tickets.update(store, { id }, closed);
    return owned(call);
  });
  return json({ ticket: ticketJson(ticket) });
}

export async function attachment(call: Call): Promise<Reply> {
  const { store, media } = call.app;
  const id = call.param('attachmentId');
  const found = ticketAttachments.find(store, { id, ticketId: owned(call).id });
  const handle = found && (await media.folder.open(shelf, id));
  if (!found || !handle) {
    throw new ServiceFailure(404, 'attachment_not_found', 'the ticket has no such attachment');
  }
  // The name in ASCII, and as it is (RFC 6266).
  const plain = found.filename.replaceAll(/[^\w.() -]/g, '_');
  const exact = encodeURIComponent(found.filename).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return fileReply({ ...found, handle }, call.request.headers, {
    'content-type': found.mediaType,
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
  });
}

function threadReply(call: Call, status: number): Reply {
  return json({ ticket: threadJson(call.app, owned(call)) }, status);
}

function owned(call: Call): Ticket {
  const { accountId } = call.caller;
  const ticket = tickets.find(call.app.store, { id: call.param('id'), accountId });
  if (ticket) return ticket;
  throw new ServiceFailure(404, 'ticket_not_found', 'there is no such ticket');
}

function assertNotClosed({ status }: Ticket): void {
  if (status !== 'closed') return;
  throw new ServiceFailure(409, 'ticket_closed', 'the ticket is closed: open a new one');
}
